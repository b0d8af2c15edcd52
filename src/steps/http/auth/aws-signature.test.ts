// The signatures of AWS's own test suite for Signature Version 4, and of the examples in the documentation of S3.
import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { AwsCredential } from '../../../engine/ports/connections.ts'
import { signAws } from './aws-signature.ts'

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
type Pairs = Record<string, string>

const SUITE: AwsCredential = {
  kind: 'aws',
  accessKeyId: 'AKIDEXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
  sessionToken: null,
  region: 'us-east-1',
  service: 'service',
}
const UNRESERVED = '-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const STS_TOKEN =
  'AQoDYXdzEPT//////////wEXAMPLEtc764bNrC9SAPBSM22wDOk4x4HIZ8j4FZTwdQWLWsKWHGBuFqwAeMicRXmxfpSPfIeoIYRqTflfKD8YUuwthAx7mSEI/qkPpKPi/kMcGdQrmGdeehM4IC1NtBmUpp2wUE8phUZampKsburEDy0KPkyQDYwT7WZ0wq5VSXDvp75YU9HFvlRd8Tx6q6fE8YQcHNVXAkiY9q6d+xo0rKwT38xVqr7ZD0u0iPPkUL64lIZbqBAz+scqKmlzm8FDrypNC9Yjc8fPOLn9FX9KSYvKTr4rvx3iSIlTJabIQwj2ICCR/oLxBA=='
const FORM = 'application/x-www-form-urlencoded'

function signatureOf(
  credential: AwsCredential,
  method: string,
  path: string,
  query: Iterable<[string, string]>,
  headers: [string, string][],
  body: string,
  date: string,
) {
  const all = headers.map(([name, value]) => ({ name, value }))
  return signAws(credential, { method, path, query, headers: all, bodyHash: sha256(body) }, date)
}

describe('a signature of the test suite', () => {
  const HOST: [string, string][] = [
    ['Host', 'example.amazonaws.com'],
    ['X-Amz-Date', '20150830T123600Z'],
  ]
  const VECTORS: [string, string, string, Pairs, [string, string][], string, string][] = [
    ['get-vanilla', 'GET', '/', {}, [], '', '5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31'],
    [
      'get-header-key-duplicate',
      'GET',
      '/',
      {},
      [
        ['My-Header1', 'value2'],
        ['My-Header1', 'value2'],
        ['My-Header1', 'value1'],
      ],
      '',
      'c9d5ea9f3f72853aea855b47ea873832890dbdd183b4468f858259531a5138ea',
    ],
    [
      'get-header-value-trim',
      'GET',
      '/',
      {},
      [
        ['My-Header1', ' value1'],
        ['My-Header2', ' "a   b   c"'],
      ],
      '',
      'acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736',
    ],
    [
      'get-unreserved',
      'GET',
      `/${UNRESERVED}`,
      {},
      [],
      '',
      '07ef7494c76fa4850883e2b006601f940f8a34d404d0cfa977f52a65bbf5f24f',
    ],
    ['get-utf8', 'GET', '/\u1234', {}, [], '', '8318018e0b0f223aa2bbf98705b62bb787dc9c0e678f255a891fd03141be5d85'],
    [
      'get-vanilla-query-order-key-case',
      'GET',
      '/',
      { Param2: 'value2', Param1: 'value1' },
      [],
      '',
      'b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500',
    ],
    [
      'get-vanilla-query-unreserved',
      'GET',
      '/',
      { [UNRESERVED]: UNRESERVED },
      [],
      '',
      '9c3e54bfcdf0b19771a7f523ee5669cdf59bc7cc0884027167c21bb143a40197',
    ],
    [
      'get-vanilla-utf8-query',
      'GET',
      '/',
      { '\u1234': 'bar' },
      [],
      '',
      '2cdec8eed098649ff3a119c94853b13c643bcf08f8b0a1d91e12c9027818dd04',
    ],
    [
      'post-header-value-case',
      'POST',
      '/',
      {},
      [['My-Header1', 'VALUE1']],
      '',
      'cdbc9802e29d2942e5e10b5bccfdd67c5f22c7c4e8ae67b53629efa58b974b7d',
    ],
    [
      'post-sts-header-before',
      'POST',
      '/',
      {},
      [['X-Amz-Security-Token', STS_TOKEN]],
      '',
      '85d96828115b5dc0cfc3bd16ad9e210dd772bbebba041836c64533a82be05ead',
    ],
    [
      'post-vanilla-query-nonunreserved',
      'POST',
      '/',
      { '@#$%^': '', '+': '/,?><`";:\\|][{}' },
      [],
      '',
      '66c82657c86e26fb25238d0e69f011edc4c6df5ae71119d7cb98ed9b87393c1e',
    ],
    [
      'post-x-www-form-urlencoded',
      'POST',
      '/',
      {},
      [['Content-Type', FORM]],
      'Param1=value1',
      'ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a',
    ],
    [
      'post-x-www-form-urlencoded-parameters',
      'POST',
      '/',
      {},
      [['Content-Type', `${FORM}; charset=utf8`]],
      'Param1=value1',
      '1a72ec8f64bd914b0e42e42607c7fbce7fb2c7465f63e3092b3b0d39fa77a6fe',
    ],
  ]
  it.each(VECTORS)('%s', (_name, method, path, query, headers, body, signature) => {
    const made = signatureOf(
      SUITE,
      method,
      path,
      Object.entries(query),
      [...HOST, ...headers],
      body,
      '20150830T123600Z',
    )
    expect(made.signature).toBe(signature)
  })

  it('is part of the header, with the scope and the names of the signed headers', () => {
    expect(signatureOf(SUITE, 'GET', '/', [], HOST, '', '20150830T123600Z').value).toBe(
      'AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders=host;x-amz-date, Signature=5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31',
    )
  })
})

describe('a signature of the documentation of S3', () => {
  const S3: AwsCredential = {
    ...SUITE,
    accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
    secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
    service: 's3',
  }
  const headers = (body: string, ...more: [string, string][]): [string, string][] => [
    ['Host', 'examplebucket.s3.amazonaws.com'],
    ['x-amz-content-sha256', sha256(body)],
    ['x-amz-date', '20130524T000000Z'],
    ...more,
  ]
  const signed = (method: string, path: string, query: Pairs, body: string, ...more: [string, string][]) =>
    signatureOf(S3, method, path, Object.entries(query), headers(body, ...more), body, '20130524T000000Z').signature

  it('gets a part of an object', () => {
    expect(signed('GET', '/test.txt', {}, '', ['Range', 'bytes=0-9'])).toBe(
      'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
    )
  })

  it('puts an object whose name has to be escaped', () => {
    const more: [string, string][] = [
      ['Date', 'Fri, 24 May 2013 00:00:00 GMT'],
      ['x-amz-storage-class', 'REDUCED_REDUNDANCY'],
    ]
    expect(signed('PUT', '/test$file.text', {}, 'Welcome to Amazon S3.', ...more)).toBe(
      '98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd',
    )
  })

  it('reads a setting named by a query without a value, and lists objects', () => {
    expect(signed('GET', '/', { lifecycle: '' }, '')).toBe(
      'fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543',
    )
    expect(signed('GET', '/', { 'max-keys': '2', prefix: 'J' }, '')).toBe(
      '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7',
    )
  })
})
