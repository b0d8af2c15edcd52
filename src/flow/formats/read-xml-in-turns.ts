// Reads large XML. Apart from the reader itself, which the browser has too.
import { LoopTurns } from '../../base/waiting.ts'
import { XmlReader, type XmlReading } from './read-xml.ts'

/** Texts up to this length are read at once. */
export const LARGE_XML = 65_536

/** Reads a large text in several turns of the event loop. Throws FormatError. */
export async function readXmlInTurns(
  text: string,
  reading: XmlReading,
  turns = new LoopTurns(),
): Promise<Record<string, unknown>> {
  const reader = new XmlReader(text, reading)
  while (!reader.isDone) {
    if (turns.isOver) await turns.next()
    reader.goOn()
  }
  return reader.value
}
