// Says why the import leaves out a part of a curl command.

export const NO_FILES = 'Files of your machine cannot be read by a flow'
export const FILE = `${NO_FILES}.`
export const PATTERN = 'curl would send a request for each of its values; a step sends one, here with the first.'
export const NOT_IN_CLEAR =
  'They are for another way of authenticating, which would not send them in plain text. Basic would, so they were left out.'
