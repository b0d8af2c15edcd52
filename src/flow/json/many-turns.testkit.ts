import { LoopTurns } from '../../base/waiting.ts'

/** Lets others have their turn whenever it may, and counts how often. */
export class ManyTurns extends LoopTurns {
  count = 0
  override get isOver(): boolean {
    return true
  }
  override async next(): Promise<void> {
    this.count++
  }
}
