import Type from 'typebox'
import { MOST_LISTS } from './xml-lists.ts'

/** The schema of the elements that are lists however often they come. */
export const XmlLists = Type.Array(
  Type.String({ minLength: 1, maxLength: 500, description: 'The path of an element, such as order.item.' }),
  { maxItems: MOST_LISTS, description: 'Elements that are lists however often they come.' },
)
