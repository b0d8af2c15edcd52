/** Addresses are compared without regard to letter case and form of Unicode. */
export const normalEmail = (email: string): string => email.trim().normalize('NFKC').toLowerCase()
