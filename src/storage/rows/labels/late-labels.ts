// Adds labels to their index that are not in it yet, on the embedded database. It imports nothing: the writing thread loads it.

export const ADD_LATE_LABELS = `INSERT OR IGNORE INTO run_label (value, name, run_id)
  SELECT label.value, label.key, run.id FROM run, json_each(run.labels) AS label
  WHERE run.id >= (SELECT since FROM late_label) AND run.labels IS NOT NULL ORDER BY 1, 2, 3`
export const NONE_LATE = 'DELETE FROM late_label'
