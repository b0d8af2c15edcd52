// What publishing says of secrets in places where others can see them.

export const IN_REPLY =
  'A reply to the caller may hold no secret, and this comes from a connection or the environment. If it may be known, say reveal: true where the reply is set, or on the step that makes it.'
export const IN_CALL =
  'The input of another flow is shown in its runs and may hold no secret. Let that flow read the connection or the environment itself, or say reveal: true if it may be seen.'
export const IN_LABEL =
  'A label is shown and searched, so it may hold no secret, and this comes from a connection or the environment. Take it from what the run begins with.'
export const REVEALS =
  'This reveals data that derives from a secret to everyone who gets the reply or may see the run. Remove reveal if that is not intended.'
