// The packages of vendors: they sign the genuine requests, or say that they would let them in.
import '@shopify/shopify-api/adapters/node'
import { validateSignature } from '@line/bot-sdk'
import { LinearWebhookClient } from '@linear/sdk/webhooks'
import { signWebhookPayload } from '@notionhq/client'
import { sign as signForGitHub } from '@octokit/webhooks-methods'
import { Paddle } from '@paddle/paddle-node-sdk'
import { EventWebhook } from '@sendgrid/eventwebhook'
import { createSHA256HMAC } from '@shopify/shopify-api/runtime'
import { verifyKey } from 'discord-interactions'
import { Webhook as StandardWebhook } from 'standardwebhooks'
import { Stripe } from 'stripe'
import { Webhook as SvixWebhook } from 'svix'
import twilio from 'twilio/lib/webhooks/webhooks.js'
import { DISCORD_KEY, SENDGRID_KEY } from './vendors.testkit.ts'

/** A request that was signed by the documentation, as the packages want it. */
export interface Signed {
  body: string
  secret: string
  url: string
  header(name: string): string
}

interface Package {
  /** The name of the package; its version is in package.json. */
  name: string
  /** Returns the header with the signature, as the package makes it. */
  signs?(request: Signed): [name: string, value: string] | Promise<[name: string, value: string]>
  /** Returns whether the package lets the request in. */
  accepts?(request: Signed): boolean | Promise<boolean>
}

const at = (text: string): number => Number(text)

export const PACKAGES: Record<string, Package> = {
  discord: {
    name: 'discord-interactions',
    accepts: ({ body, header }) =>
      verifyKey(body, header('X-Signature-Ed25519'), header('X-Signature-Timestamp'), DISCORD_KEY),
  },
  github: {
    name: '@octokit/webhooks-methods',
    signs: async ({ body, secret }) => ['X-Hub-Signature-256', await signForGitHub(secret, body)],
  },
  line: {
    name: '@line/bot-sdk',
    accepts: ({ body, secret, header }) => validateSignature(body, secret, header('X-Line-Signature')),
  },
  linear: {
    name: '@linear/sdk',
    accepts: ({ body, secret, header }) =>
      new LinearWebhookClient(secret).verify(
        Buffer.from(body),
        header('Linear-Signature'),
        JSON.parse(body).webhookTimestamp,
      ),
  },
  notion: {
    name: '@notionhq/client',
    signs: async ({ body, secret }) => [
      'X-Notion-Signature',
      await signWebhookPayload({ body, verificationToken: secret }),
    ],
  },
  paddle: {
    name: '@paddle/paddle-node-sdk',
    accepts: ({ body, secret, header }) =>
      new Paddle('pdl_unused').webhooks.isSignatureValid(body, secret, header('Paddle-Signature')),
  },
  resend: {
    name: 'svix',
    signs({ body, secret, header }) {
      const time = new Date(at(header('svix-timestamp')) * 1000)
      return ['svix-signature', new SvixWebhook(secret).sign(header('svix-id'), time, body)]
    },
  },
  sendgrid: {
    name: '@sendgrid/eventwebhook',
    accepts({ body, header }) {
      const webhook = new EventWebhook()
      const [signature, time] = ['Signature', 'Timestamp'].map((name) => header(`X-Twilio-Email-Event-Webhook-${name}`))
      return webhook.verifySignature(webhook.convertPublicKeyToECDSA(SENDGRID_KEY), body, signature!, time!)
    },
  },
  shopify: {
    name: '@shopify/shopify-api',
    signs: async ({ body, secret }) => ['X-Shopify-Hmac-Sha256', await createSHA256HMAC(secret, body)],
  },
  'standard-webhooks': {
    name: 'standardwebhooks',
    signs({ body, secret, header }) {
      const time = new Date(at(header('webhook-timestamp')) * 1000)
      return ['webhook-signature', new StandardWebhook(secret).sign(header('webhook-id'), time, body)]
    },
  },
  stripe: {
    name: 'stripe',
    signs({ body, secret, header }) {
      const timestamp = at(/t=(\d+)/.exec(header('Stripe-Signature'))![1]!)
      return ['Stripe-Signature', Stripe.webhooks.generateTestHeaderString({ payload: body, secret, timestamp })]
    },
  },
  twilio: {
    name: 'twilio',
    signs: ({ body, secret, url }) => [
      'X-Twilio-Signature',
      twilio.getExpectedTwilioSignature(secret, url, Object.fromEntries(new URLSearchParams(body))),
    ],
  },
}
