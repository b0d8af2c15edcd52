/** What the setting of elements that are always lists is called, wherever XML is parsed. */
export const XML_LISTS = {
  label: 'Always lists',
  description: 'elements that may come once, or not at all',
  placeholder: 'order.item',
}
