// Tells which bodies are files: those that are neither text, JSON, XML nor a form.

export const MULTIPART = 'multipart/form-data'

const TEXT_TYPE = /^(?:text\/.*|application\/(?:json|xml|x-www-form-urlencoded|.*\+(?:json|xml)))$/

/** The types of files that a trigger can accept, `image/*` and the like too. */
export const ACCEPTABLE_FILE =
  /^(?:multipart\/form-data|application\/[\w.+-]+|(?:image|audio|video|font|model)\/(?:\*|[\w.+-]+))$/i

/** `type` in small letters, without parameters. */
export const isFileType = (type: string): boolean => type !== '' && !TEXT_TYPE.test(type)
