// Says where a request comes from, for limits and for the list of sessions.
import type { FastifyRequest } from 'fastify'
import ipaddr from 'ipaddr.js'
import type { From } from '../../operations/access/sessions.ts'
import { type ClientAddress, networkOf } from '../client-address.ts'

export function fromOf(request: FastifyRequest, clientAddress: ClientAddress): From {
  const address = clientAddress(request.raw)
  return {
    network: networkOf(address),
    // An IPv4 address may come in the form of IPv6.
    address: ipaddr.isValid(address) ? ipaddr.process(address).toString() : address,
    userAgent: request.headers['user-agent'] ?? null,
  }
}
