// Says where a request comes from, for limits and for the list of sessions.
import type { IncomingMessage } from 'node:http'
import type { FastifyRequest } from 'fastify'
import ipaddr from 'ipaddr.js'
import type { From } from '../../operations/access/sessions.ts'
import { type ClientAddress, networkOf } from '../client-address.ts'

export function fromOf(request: FastifyRequest, clientAddress: ClientAddress): From {
  return {
    network: networkOf(clientAddress(request.raw)),
    address: addressOf(request.raw, clientAddress),
    userAgent: request.headers['user-agent'] ?? null,
  }
}

export function addressOf(request: IncomingMessage, clientAddress: ClientAddress): string {
  const address = clientAddress(request)
  // An IPv4 address may come in the form of IPv6.
  return ipaddr.isValid(address) ? ipaddr.process(address).toString() : address
}
