// The behaviour that every database must have behind the ports of the stores: one suite, run by a test file per database.
import { afterAll, beforeAll, describe } from 'vitest'
import { deliveryContract } from './delivery-contract.testkit.ts'
import { flowContract } from './flow-contract.testkit.ts'
import { runContract } from './run-contract.testkit.ts'
import { secretContract } from './secret-contract.testkit.ts'
import type { Stores } from './stores.testkit.ts'

export function storeContract(name: string, open: () => Promise<Stores>): void {
  describe(name, () => {
    let stores: Stores
    beforeAll(async () => {
      stores = await open()
    })
    afterAll(() => stores.close())

    for (const contract of [flowContract, runContract, secretContract, deliveryContract]) contract(() => stores, open)
  })
}
