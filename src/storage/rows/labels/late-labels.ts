// Adds labels to their index that are not in it yet, on the embedded database. It imports nothing: the writing thread loads it.

/** Labels of a run with a longer body are never late: they are stored behind it, and reaching them would read all of it. */
export const LATE_BODY_CHARS = 16_384

/** A character takes three bytes at most, and the length of a column is known without reading it. */
export const ADD_LATE_LABELS = `INSERT OR IGNORE INTO run_label (value, name, run_id)
  SELECT label.value, label.key, run.id
  FROM run, json_each(CASE WHEN length(run.raw_body) <= ${3 * LATE_BODY_CHARS} THEN run.labels END) AS label
  WHERE run.id >= (SELECT since FROM late_label) ORDER BY 1, 2, 3`
export const ADD_LABELS = `INSERT OR IGNORE INTO run_label (value, name, run_id)
  SELECT label.value, label.key, ?1 FROM json_each(?2) AS label`
export const NONE_LATE = 'DELETE FROM late_label'
