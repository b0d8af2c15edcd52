// How each vendor authenticates its requests, written from its documentation (the sender's file names the page).
import { generateKeyPairSync, sign as signWithKey } from 'node:crypto'
import { type Header, type Lack, mac, macOf, seconds, type Vendor, type Way } from './vendor.testkit.ts'

const SECRET = 'f4k3-s1gn1ng-s3cr3t_0123456789'
const OTHER = 'an0ther-s3cr3t_9876543210abcdef'

const intact = (text: string): string => text

type Settings = Partial<Vendor> &
  Pick<Vendor, 'sign' | 'authHeaders'> & { hash?: Way['hash']; encoding?: Way['encoding']; prefix?: string }

/** A vendor that signs with an HMAC. */
function signing({ hash = 'sha256', encoding = 'hex', prefix = '', ...rest }: Settings): Vendor {
  const lacks: Lack[] = [...(rest.lacks ?? [])]
  if (rest.tolerance == null) lacks.push('time')
  if (rest.otherPrefix == null) lacks.push('prefix')
  return {
    fields: { secret: SECRET },
    emptyFields: { secret: '' },
    otherSecret: OTHER,
    otherPrefix: null,
    tolerance: null,
    ...rest,
    way: { secret: SECRET, hash, encoding, prefix, cut: intact, ...rest.way },
    lacks,
  }
}

/** The signature of the body alone, in one header. */
const ofBody = (header: string, rest: Partial<Settings> = {}): Vendor =>
  signing({ authHeaders: [header], sign: (body, way) => [[header, mac(way, body)]], ...rest })

/** A token that is sent as it is. */
const token = (header: string, rest: Partial<Vendor> = {}): Vendor => ({
  ...signing({ authHeaders: [header], sign: (_, way) => [[header, way.cut(way.secret)]] }),
  lacks: ['body', 'time', 'prefix', 'signature'],
  ...rest,
})

/** `t=…,v1=…`, or with other names and separators. */
const timed = (header: string, time: string, between: string, joint: string, rest: Partial<Settings> = {}): Vendor =>
  signing({
    authHeaders: [header],
    sign: (body, way) => [[header, `${time}=${seconds(way)}${between}${mac(way, seconds(way), joint, body)}`]],
    tolerance: 300,
    ...rest,
  })

/** `v0:<time>:<body>`, the time in a header of its own. */
const versioned = (header: string, timeHeader: string): Vendor =>
  signing({
    authHeaders: [header, timeHeader],
    prefix: 'v0=',
    otherPrefix: 'v1=',
    tolerance: 300,
    sign: (body, way) => [
      [timeHeader, seconds(way)],
      [header, mac(way, 'v0:', seconds(way), ':', body)],
    ],
  })

const WHSEC = `whsec_${Buffer.from('a-key-of-standard-webhooks-24bytes').toString('base64')}`
const OTHER_WHSEC = `whsec_${Buffer.from('another-key-of-standard-webhooks').toString('base64')}`

const standard = (names: string): Vendor =>
  signing({
    fields: { secret: WHSEC },
    way: { secret: WHSEC } as Vendor['way'],
    otherSecret: OTHER_WHSEC,
    encoding: 'base64',
    prefix: 'v1,',
    otherPrefix: 'v2,',
    tolerance: 300,
    authHeaders: [`${names}-signature`, `${names}-id`, `${names}-timestamp`],
    sign(body, way, payload) {
      const id = payload.headers?.[`${names}-id`] ?? 'msg_1'
      const key = Buffer.from(way.secret.slice('whsec_'.length), 'base64')
      return [
        [`${names}-id`, id],
        [`${names}-timestamp`, seconds(way)],
        [`${names}-signature`, way.prefix + macOf(way, key, `${id}.${seconds(way)}.`, body)],
      ]
    },
  })

interface AdyenItem {
  pspReference: string
  originalReference?: string
  merchantAccountCode: string
  merchantReference: string
  amount: { value: number; currency: string }
  eventCode: string
  success: string
  additionalData: { hmacSignature?: string }
}
const adyenItem = (body: unknown): AdyenItem =>
  (body as { notificationItems: { NotificationRequestItem: AdyenItem }[] }).notificationItems[0]!
    .NotificationRequestItem
export const ADYEN_KEY = '44782DEF547AAA06C910C43932B1EB0C71FC68D9D0C057550C48EC2ACF6BA056'

const adyen = signing({
  fields: { secret: ADYEN_KEY },
  way: { secret: ADYEN_KEY } as Vendor['way'],
  otherSecret: ADYEN_KEY.replaceAll('4', '5'),
  encoding: 'base64',
  authHeaders: [],
  lacks: ['header'],
  sign: () => [],
  fill(body, way) {
    const item = adyenItem(body)
    const { pspReference, originalReference = '', merchantAccountCode, merchantReference, amount } = item
    const { eventCode, success } = item
    const parts = [pspReference, originalReference, merchantAccountCode, merchantReference]
    const signed = [...parts, amount.value, amount.currency, eventCode, success].join(':')
    item.additionalData.hmacSignature = macOf(way, Buffer.from(way.secret, 'hex'), signed)
  },
  unsign: (body) => delete adyenItem(body).additionalData.hmacSignature,
  change: (text) => text.replace('"currency":"EUR"', '"currency":"USD"'),
  lift(from, to) {
    const body = JSON.parse(to)
    adyenItem(body).additionalData = adyenItem(JSON.parse(from)).additionalData
    return JSON.stringify(body)
  },
})

interface Mailgun {
  signature: { token: string; timestamp: string; signature?: string }
}
const mailgun = signing({
  authHeaders: [],
  tolerance: 300,
  lacks: ['body', 'header'],
  sign: () => [],
  fill(body, way) {
    const { signature } = body as Mailgun
    signature.timestamp = seconds(way)
    signature.signature = mac(way, signature.timestamp, signature.token)
  },
  unsign: (body) => delete (body as Mailgun).signature.signature,
})

const graphItems = (body: unknown) => (body as { value: { clientState?: string }[] }).value
const microsoftGraph: Vendor = {
  ...token('', { authHeaders: [], lacks: ['body', 'time', 'prefix', 'signature', 'header'] }),
  sign: () => [],
  fill(body, way) {
    for (const item of graphItems(body)) item.clientState = way.cut(way.secret)
  },
  unsign(body) {
    for (const item of graphItems(body)) delete item.clientState
  },
}

const postmark: Vendor = {
  ...token('Authorization'),
  fields: { user: 'postmark', password: SECRET },
  emptyFields: { user: '', password: '' },
  sign(_, way) {
    const user = way.secret === '' ? '' : 'postmark'
    return [['Authorization', `Basic ${Buffer.from(`${user}:${way.cut(way.secret)}`).toString('base64')}`]]
  },
}

const twilio = signing({
  hash: 'sha1',
  encoding: 'base64',
  authHeaders: ['X-Twilio-Signature'],
  sign(body, way) {
    const fields = [...new URLSearchParams(body.toString())].sort(([one], [other]) => (one < other ? -1 : 1))
    return [['X-Twilio-Signature', mac(way, way.url, ...fields.flat())]]
  },
})

const linear = ofBody('Linear-Signature', {
  tolerance: 60,
  fill: (body, way) => {
    ;(body as { webhookTimestamp: number }).webhookTimestamp = way.atMs
  },
})

const box = signing({
  encoding: 'base64',
  tolerance: 600,
  authHeaders: ['BOX-SIGNATURE-PRIMARY', 'BOX-DELIVERY-TIMESTAMP'],
  sign(body, way) {
    const at = new Date(way.atMs - 7 * 3_600_000).toISOString().replace(/\.\d+Z$/, '-07:00')
    return [
      ['BOX-DELIVERY-TIMESTAMP', at],
      ['BOX-SIGNATURE-PRIMARY', mac(way, body, at)],
    ]
  },
})

const hubspot = signing({
  encoding: 'base64',
  tolerance: 300,
  authHeaders: ['X-HubSpot-Signature-v3', 'X-HubSpot-Request-Timestamp'],
  sign: (body, way) => [
    ['X-HubSpot-Request-Timestamp', String(way.atMs)],
    ['X-HubSpot-Signature-v3', mac(way, 'POST', way.url, body, String(way.atMs))],
  ],
})

const pairs = { ed25519: generateKeyPairSync('ed25519'), p256: generateKeyPairSync('ec', { namedCurve: 'P-256' }) }
const others = { ed25519: generateKeyPairSync('ed25519'), p256: generateKeyPairSync('ec', { namedCurve: 'P-256' }) }

/** A vendor that signs with a private key. What a forger has is the public one: it serves as the secret of an HMAC. */
function withKeyPair(
  kind: 'ed25519' | 'p256',
  publicKey: string,
  own: Way['hash'],
  headers: [string, string],
  encoding: Way['encoding'],
): Vendor {
  return {
    ...signing({
      hash: own,
      encoding,
      fields: { publicKey },
      emptyFields: { publicKey: '' },
      tolerance: 300,
      authHeaders: headers,
      sign(body, way): Header[] {
        const content = Buffer.concat([Buffer.from(seconds(way)), body])
        const { privateKey } = way.secret === OTHER ? others[kind] : pairs[kind]
        const isForged = way.hash !== own || way.secret === ''
        const signature = isForged
          ? macOf({ ...way, secret: publicKey }, Buffer.from(publicKey), content)
          : way.cut(signWithKey(kind === 'ed25519' ? null : own, content, privateKey).toString(way.encoding))
        return [
          [headers[1], seconds(way)],
          [headers[0], signature],
        ]
      },
    }),
  }
}

const jwk = pairs.ed25519.publicKey.export({ format: 'jwk' })
export const DISCORD_KEY = Buffer.from(jwk.x!, 'base64url').toString('hex')
export const SENDGRID_KEY = pairs.p256.publicKey.export({ format: 'der', type: 'spki' }).toString('base64')

const SHA256 = { prefix: 'sha256=', otherPrefix: 'sha1=' }

export const VENDORS: Record<string, Vendor> = {
  adyen,
  asana: ofBody('X-Hook-Signature'),
  auth0: token('Authorization'),
  bigcommerce: token('X-Webhook-Token'),
  bitbucket: ofBody('X-Hub-Signature', SHA256),
  box,
  calendly: timed('Calendly-Webhook-Signature', 't', ',', '.', { prefix: 'v1=', otherPrefix: 'v0=', tolerance: 180 }),
  discord: withKeyPair('ed25519', DISCORD_KEY, 'sha512', ['X-Signature-Ed25519', 'X-Signature-Timestamp'], 'hex'),
  docusign: ofBody('X-DocuSign-Signature-1', { encoding: 'base64' }),
  dropbox: ofBody('X-Dropbox-Signature'),
  gitea: ofBody('X-Gitea-Signature'),
  github: ofBody('X-Hub-Signature-256', SHA256),
  gitlab: token('X-Gitlab-Token'),
  hubspot,
  intercom: ofBody('X-Hub-Signature', { hash: 'sha1', prefix: 'sha1=', otherPrefix: 'sha256=' }),
  jira: ofBody('X-Hub-Signature', SHA256),
  line: ofBody('X-Line-Signature', { encoding: 'base64' }),
  linear,
  mailgun,
  meta: ofBody('X-Hub-Signature-256', SHA256),
  'microsoft-graph': microsoftGraph,
  mollie: ofBody('X-Mollie-Signature', SHA256),
  notion: ofBody('X-Notion-Signature', SHA256),
  okta: token('Authorization'),
  paddle: timed('Paddle-Signature', 'ts', ';', ':', { prefix: 'h1=', otherPrefix: 'h2=' }),
  pagerduty: ofBody('X-PagerDuty-Signature', { prefix: 'v1=', otherPrefix: 'v0=' }),
  postmark,
  resend: standard('svix'),
  sendgrid: withKeyPair(
    'p256',
    SENDGRID_KEY,
    'sha256',
    ['X-Twilio-Email-Event-Webhook-Signature', 'X-Twilio-Email-Event-Webhook-Timestamp'],
    'base64',
  ),
  sentry: ofBody('Sentry-Hook-Signature'),
  shopify: ofBody('X-Shopify-Hmac-Sha256', { encoding: 'base64' }),
  slack: versioned('X-Slack-Signature', 'X-Slack-Request-Timestamp'),
  square: signing({
    encoding: 'base64',
    authHeaders: ['x-square-hmacsha256-signature'],
    sign: (body, way) => [['x-square-hmacsha256-signature', mac(way, way.url, body)]],
  }),
  'standard-webhooks': standard('webhook'),
  stripe: timed('Stripe-Signature', 't', ',', '.', { prefix: 'v1=', otherPrefix: 'v0=' }),
  telegram: token('X-Telegram-Bot-Api-Secret-Token'),
  trello: signing({
    hash: 'sha1',
    encoding: 'base64',
    authHeaders: ['X-Trello-Webhook'],
    sign: (body, way) => [['X-Trello-Webhook', mac(way, body, way.url)]],
  }),
  twilio,
  typeform: ofBody('Typeform-Signature', { ...SHA256, encoding: 'base64' }),
  vercel: ofBody('x-vercel-signature', { hash: 'sha1' }),
  woocommerce: ofBody('X-WC-Webhook-Signature', { encoding: 'base64' }),
  xero: ofBody('x-xero-signature', { encoding: 'base64' }),
  zoom: versioned('X-Zm-Signature', 'X-Zm-Request-Timestamp'),
}
