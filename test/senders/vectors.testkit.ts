// Requests with signatures that vendors print in their documentation, or that packages made which are too large to be installed here.

export interface Vector {
  sender: string
  /** Who made the signature, for the documentation. */
  by: string
  fields: Record<string, string>
  headers: [name: string, value: string][]
  body: string
  /** A part of the body that is signed, where not all of it is. */
  signedText?: string
  /** The time of the request, where it is signed. */
  atSeconds?: number
  /** The query of the request. */
  query?: string
}

const DOCUMENTED = 'an example in its documentation'
const EVERYBODY = "It's a Secret to Everybody"

const SENDGRID_BODY = `${JSON.stringify([
  {
    email: 'hello@world.com',
    event: 'dropped',
    reason: 'Bounced Address',
    sg_event_id: 'ZHJvcC0xMDk5NDkxOS1MUnpYbF9OSFN0T0doUTRrb2ZTbV9BLTA',
    sg_message_id: 'LRzXl_NHStOGhQ4kofSm_A.filterdrecv-p3mdw1-756b745b58-kmzbl-18-5F5FC76C-9.0',
    'smtp-id': '<LRzXl_NHStOGhQ4kofSm_A@ismtpd0039p1iad1.sendgrid.net>',
    timestamp: 1600112492,
  },
])}\r\n`

const adyenBody = (merchantReference: string, hmacSignature: string): string =>
  JSON.stringify({
    live: 'false',
    notificationItems: [
      {
        NotificationRequestItem: {
          additionalData: { hmacSignature },
          pspReference: '7914073381342284',
          merchantAccountCode: 'TestMerchant',
          merchantReference,
          amount: { value: 1130, currency: 'EUR' },
          eventCode: 'AUTHORISATION',
          success: 'true',
        },
      },
    ],
  })

const ADYEN_KEY = { secret: '44782DEF547AAA06C910C43932B1EB0C71FC68D9D0C057550C48EC2ACF6BA056' }
const HOOK = 'https://hooks.example.com/api/v1/webhooks/abc'
const BOX_BODY =
  '{"type":"webhook_event","webhook":{"id":"1234567890"},"trigger":"FILE.UPLOADED","source":{"id":"1234567890","type":"file","name":"Test.txt"}}'
const boxHeaders = (header: string, signature: string): [string, string][] => [
  ['BOX-DELIVERY-TIMESTAMP', '2020-01-01T00:00:00-07:00'],
  [header, signature],
]

export const VECTORS: readonly Vector[] = [
  {
    sender: 'github',
    by: DOCUMENTED,
    fields: { secret: EVERYBODY },
    headers: [
      ['X-Hub-Signature-256', 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17'],
      ['Content-Type', 'text/plain'],
    ],
    body: 'Hello, World!',
  },
  ...['bitbucket', 'jira'].map((sender) => ({
    sender,
    by: DOCUMENTED,
    fields: { secret: EVERYBODY },
    headers: [
      ['X-Hub-Signature', 'sha256=a4771c39fbe90f317c7824e83ddef3caae9cb3d976c214ace1f2937e133263c9'],
      ['Content-Type', 'text/plain'],
    ] as [string, string][],
    body: 'Hello World!',
  })),
  {
    sender: 'slack',
    by: DOCUMENTED,
    fields: { secret: '8f742231b10e8888abcd99yyyzzz85a5' },
    headers: [
      ['X-Slack-Signature', 'v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503'],
      ['X-Slack-Request-Timestamp', '1531420618'],
      ['Content-Type', 'application/x-www-form-urlencoded'],
    ],
    body: 'token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c',
    atSeconds: 1531420618,
  },
  {
    sender: 'standard-webhooks',
    by: 'an example of the specification',
    fields: { secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' },
    headers: [
      ['webhook-id', 'msg_p5jXN8AQM9LWM0D4loKWxJek'],
      ['webhook-timestamp', '1614265330'],
      ['webhook-signature', 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE='],
    ],
    body: '{"test": 2432232314}',
    atSeconds: 1614265330,
  },
  {
    sender: 'twilio',
    by: DOCUMENTED,
    fields: { secret: '12345', url: 'https://mycompany.com/myapp.php' },
    headers: [
      ['X-Twilio-Signature', 'RSOYDt4T1cUTdK1PDd93/VVr8B8='],
      ['Content-Type', 'application/x-www-form-urlencoded'],
    ],
    body: 'Digits=1234&To=%2B18005551212&From=%2B14158675309&Caller=%2B14158675309&CallSid=CA1234567890ABCDE',
    query: '?foo=1&bar=2',
  },
  {
    sender: 'box',
    by: DOCUMENTED,
    fields: { secret: 'SamplePrimaryKey' },
    headers: boxHeaders('BOX-SIGNATURE-PRIMARY', '6TfeAW3A1PASkgboxxA5yqHNKOwFyMWuEXny/FPD5hI='),
    body: BOX_BODY,
    atSeconds: 1577862000,
  },
  {
    sender: 'box',
    by: DOCUMENTED,
    fields: { secret: 'SampleSecondaryKey' },
    headers: boxHeaders('BOX-SIGNATURE-SECONDARY', 'v+1CD1Jdo3muIcbpv5lxxgPglOqMfsNHPV899xWYydo='),
    body: BOX_BODY,
    atSeconds: 1577862000,
  },
  {
    sender: 'sendgrid',
    by: 'an example of the package',
    fields: {
      publicKey:
        'MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE83T4O/n84iotIvIW4mdBgQ/7dAfSmpqIM8kF9mN1flpVKS3GRqe62gw+2fNNRaINXvVpiglSI8eNEc6wEA3F+g==',
    },
    headers: [
      [
        'X-Twilio-Email-Event-Webhook-Signature',
        'MEUCIGHQVtGj+Y3LkG9fLcxf3qfI10QysgDWmMOVmxG0u6ZUAiEAyBiXDWzM+uOe5W0JuG+luQAbPIqHh89M15TluLtEZtM=',
      ],
      ['X-Twilio-Email-Event-Webhook-Timestamp', '1600112502'],
    ],
    body: SENDGRID_BODY,
    atSeconds: 1600112502,
  },
  {
    sender: 'adyen',
    by: DOCUMENTED,
    fields: ADYEN_KEY,
    headers: [],
    signedText: 'TestMerchant',
    body: adyenBody('TestPayment-1407325143704', 'coqCmt/IZ4E3CzPvMY8zTjQVL5hYJUiBRg8UU+iCWo0='),
  },
  {
    sender: 'adyen',
    by: '`@adyen/api-library` 32.1.0, once',
    fields: ADYEN_KEY,
    headers: [],
    signedText: 'TestMerchant',
    body: adyenBody('Zoë 🎉:1', 'T1EDaRyLxy3AsRnWeV5XCwWzTwlN/eHfJIbIKQ+687A='),
  },
  {
    sender: 'square',
    by: '`square` 46.0.0, once',
    fields: { secret: 'asdf1234', url: HOOK },
    headers: [['x-square-hmacsha256-signature', 'U2UuEW6/7Wb+mJ/NB5iFu/fWo1l+hSxZHpmUMvmhmVc=']],
    body: '{"merchant_id":"MLEFBHHSJGVHD","type":"payment.updated","note":"Zoë 🎉"}',
  },
  {
    sender: 'hubspot',
    by: '`@hubspot/api-client` 14.0.1, once',
    fields: { secret: 'e1a9d0f3-hubspot', url: HOOK },
    headers: [
      ['X-HubSpot-Signature-v3', 'cLddnCk6a9DlSyMmaiQoe5TjVaWMMm67CTq31OCbsY8='],
      ['X-HubSpot-Request-Timestamp', '1772442904123'],
    ],
    body: '[{"eventId":1,"note":"Zoë 🎉"}]',
    atSeconds: 1772442904,
  },
]
