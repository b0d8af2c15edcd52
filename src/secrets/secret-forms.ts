// How a secret may stand inside a text before any encoding of the text around it is taken off.

/** Itself, with spaces as forms send them, and what base64 makes of it, alone or inside a longer text. */
export function secretForms(secret: string): string[] {
  const forms = [secret]
  if (secret.includes(' ')) forms.push(secret.replaceAll(' ', '+'))
  const bytes = Buffer.from(secret)
  for (let before = 0; before < 3; before++) {
    const core = base64Core(bytes, before)
    forms.push(core)
    const urlSafe = core.replaceAll('+', '-').replaceAll('/', '_')
    if (urlSafe !== core) forms.push(urlSafe)
  }
  return forms
}

/** The characters that these bytes alone decide when so many others (modulo three) stand before them. */
function base64Core(bytes: Buffer, before: number): string {
  const encoded = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64')
  return encoded.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6))
}
