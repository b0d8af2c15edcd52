// Where a flow is edited, at one of its steps if so wanted; `trigger` opens the panel of its webhook.
export function editorLink(flowId: string, open: { step?: string | undefined; trigger?: true } = {}) {
  const search = open.step === undefined && !open.trigger ? {} : open
  // As the component of a button the link does not know the addresses of this router.
  return { to: '/flows/$id', params: { id: flowId } as never, search: search as never }
}
