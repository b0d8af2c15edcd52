/** Stands for the rows of a table that are not drawn. */
export const SpacerRow = ({ height }: { height: number }) =>
  height === 0 ? null : (
    <tr>
      <td style={{ height, padding: 0, border: 0 }} colSpan={6} />
    </tr>
  )
