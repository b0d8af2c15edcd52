/** Returns the form in which addresses are compared: letter case and Unicode form do not matter. */
export const normalEmail = (email: string): string => email.trim().normalize('NFKC').toLowerCase()
