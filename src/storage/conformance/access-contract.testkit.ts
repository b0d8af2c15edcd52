// The behaviour that every database must have for users, sessions and tokens: one suite, run by a test file per database.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { BUILT_IN_ROLES, UNIONS } from '../../base/scopes.ts'
import { createIds } from '../../engine/ids.ts'
import type {
  InvitationRecord,
  InvitationStore,
  NewUser,
  RoleStore,
  SessionRecord,
  SessionStore,
  TokenRecord,
  TokenStore,
  UserRecord,
  UserStore,
} from '../../operations/ports/access.ts'
import type { AuthorizationRequestStore } from '../../operations/ports/connections.ts'
import type { IdentityRecord, IdentityStore, LogoutTokens } from '../../operations/ports/sign-in/identities.ts'
import type { SecondFactorStore } from '../../operations/ports/sign-in/second-factors.ts'
import type { Housekeeping } from '../../operations/ports/upkeep.ts'

export interface AccessStores {
  users: UserStore
  roles: RoleStore
  sessions: SessionStore
  invitations: InvitationStore
  tokens: TokenStore
  identities: IdentityStore
  authorizations: AuthorizationRequestStore
  logoutTokens: LogoutTokens
  secondFactors: SecondFactorStore
  housekeeping: Housekeeping
  close(): Promise<void>
}

let time = Date.UTC(2026, 0, 1)
let counter = 0
const ids = createIds(
  () => time,
  (size) => new Uint8Array(size).fill(7),
)
const page = { limit: 50, cursor: null }

const newUser = (role = 'editor', change: Partial<NewUser> = {}): NewUser => ({
  id: ids.next('usr'),
  email: `user${++counter}@example.com`,
  name: 'A user',
  role,
  scopes: BUILT_IN_ROLES.get(role) ?? [],
  createdAt: time,
  lastSignInAt: null,
  breakGlass: false,
  password: 'hash',
  ...change,
})

const withoutPassword = ({ password: _, ...user }: NewUser): UserRecord => user

const newToken = (change: Partial<TokenRecord> = {}): TokenRecord => ({
  id: ids.next('tok'),
  digest: `digest ${++counter}`,
  name: 'deploy',
  scopes: UNIONS.write,
  createdAt: time,
  createdBy: 'ada@example.com',
  userId: null,
  madeBy: null,
  expiresAt: null,
  limit: null,
  lastUsedAt: null,
  lastAddress: null,
  ...change,
})

const newSession = (change: Partial<SessionRecord>): SessionRecord => ({
  id: 'session',
  userId: 'usr_1',
  createdAt: time,
  expiresAt: time + 1000,
  device: 'Firefox on Linux',
  address: '203.0.113.7',
  usedAt: time,
  login: null,
  ...change,
})

export function accessContract(name: string, open: () => Promise<AccessStores>): void {
  describe(name, () => {
    let stores: AccessStores
    beforeAll(async () => {
      stores = await open()
    })
    afterAll(() => stores.close())

    const invite = async (change: Partial<InvitationRecord> = {}): Promise<InvitationRecord & { code: string }> => {
      const code = `code ${++counter}`
      const invitation = {
        id: ids.next('inv'),
        email: null,
        role: 'editor' as const,
        createdAt: time,
        expiresAt: time + 1000,
        userId: null,
        ...change,
      }
      expect(await stores.invitations.add(invitation, code)).toBe(true)
      return { ...invitation, code }
    }

    const addUser = async (role: string): Promise<NewUser> => {
      const user = newUser(role)
      expect(await stores.users.addInvited(user, (await invite()).code)).toBe('added')
      return user
    }

    const openSession = async (user: NewUser, change: { expiresAt?: number } = {}): Promise<string> => {
      const id = `session ${++counter}`
      expect(await stores.sessions.open(newSession({ id, userId: user.id, ...change }), user.password!)).toBe(true)
      return id
    }

    describe('the first owner', () => {
      it('is made once, also when two come at once', async () => {
        expect(await stores.users.isSetUp()).toBe(false)
        const candidates = [newUser('owner'), newUser('owner')]
        const made = await Promise.all(candidates.map((user) => stores.users.addFirstOwner(user)))
        expect(made.filter(Boolean)).toHaveLength(1)
        const { items } = await stores.users.list(page)
        expect(items).toEqual([withoutPassword(candidates[made.indexOf(true)]!)])
        expect(await stores.users.isSetUp()).toBe(true)
        expect(await stores.users.addFirstOwner(newUser('owner'))).toBe(false)
      })
    })

    describe('users', () => {
      it('come in by an invitation, which one of them uses up', async () => {
        const { code } = await invite()
        const guests = [newUser(), newUser()]
        const results = await Promise.all(guests.map((user) => stores.users.addInvited(user, code)))
        expect(results.toSorted()).toEqual(['added', 'no_invitation'])
        const [added, refused] = results[0] === 'added' ? guests : guests.toReversed()
        expect(await stores.users.get(added!.id)).toEqual(withoutPassword(added!))
        expect(await stores.users.byEmail(added!.email)).toEqual(added)
        expect(await stores.users.get(refused!.id)).toBeNull()
        expect(await stores.users.byEmail(refused!.email)).toBeNull()
      })

      it('do not come in by an invitation past its time', async () => {
        const { code } = await invite({ expiresAt: time })
        expect(await stores.users.addInvited(newUser(), code)).toBe('no_invitation')
      })

      it('have an address of their own, and a refused one leaves the invitation as it was', async () => {
        const first = await addUser('viewer')
        const { code } = await invite()
        expect(await stores.users.addInvited(newUser('viewer', { email: first.email }), code)).toBe('email_taken')
        expect(await stores.users.addInvited(newUser('viewer'), code)).toBe('added')
      })

      it('are listed page by page', async () => {
        const all = await stores.users.list(page)
        const first = await stores.users.list({ limit: 2, cursor: null })
        const rest = await stores.users.list({ limit: 50, cursor: first.nextCursor })
        expect([...first.items, ...rest.items]).toEqual(all.items)
      })

      it('go with their sessions and tokens', async () => {
        const user = await addUser('editor')
        const session = await openSession(user)
        const token = newToken({ userId: user.id })
        await stores.tokens.add(token)
        expect(await stores.users.remove(user.id)).toMatchObject({ id: user.id, email: user.email })
        expect(await stores.users.get(user.id)).toBeNull()
        expect(await stores.sessions.find(session)).toBeNull()
        expect((await stores.tokens.all()).map(({ id }) => id)).not.toContain(token.id)
        expect(await stores.users.remove(user.id)).toBeNull()
      })

      it('lose the tokens that reach further than their new role', async () => {
        const user = await addUser('editor')
        const tokens = (['read', 'write', 'admin'] as const).map((scope) =>
          newToken({ scopes: UNIONS[scope], userId: user.id }),
        )
        for (const token of tokens) await stores.tokens.add(token)
        expect(await stores.users.setRole(user.id, 'viewer')).toMatchObject({ id: user.id, role: 'viewer' })
        const left = (await stores.tokens.all()).filter(({ userId }) => userId === user.id)
        expect(left.map(({ scopes }) => scopes)).toEqual([UNIONS.read])
        expect(await stores.users.setRole('usr_none', 'viewer')).toBeNull()
      })
    })

    const begunBy = async (id: string): Promise<string> => {
      const request = `state ${++counter}`
      const actor = { id, name: 'somebody' }
      const more = { connection: 'crm', revision: 1, browser: null, verifier: 'v', expiresAt: time + 1000 }
      await stores.authorizations.add({ id: request, actor, ...more }, time)
      return request
    }
    const isUnderWay = async (request: string) => (await stores.authorizations.take(request)) !== null

    describe('a user who loses a scope', () => {
      it('loses sessions, invitations, consents under way, the tokens beyond it and what those made', async () => {
        const [user, other] = [await addUser('owner'), await addUser('editor')]
        const session = await openSession(user)
        const { code } = await invite({ userId: user.id })
        const beyond = newToken({ scopes: UNIONS.write, userId: user.id })
        const made = newToken({ scopes: UNIONS.read, userId: user.id, madeBy: beyond.id })
        const madeByThat = newToken({ scopes: ['flows:read'], userId: user.id, madeBy: made.id })
        const within = newToken({ scopes: ['runs:read'], userId: user.id })
        for (const token of [beyond, made, madeByThat, within]) expect(await stores.tokens.add(token)).toBe(true)
        const ending = await Promise.all([user, beyond, madeByThat].map(({ id }) => begunBy(id)))
        const staying = await Promise.all([other, within].map(({ id }) => begunBy(id)))

        expect(await stores.users.setRole(user.id, 'viewer')).toMatchObject({ role: 'viewer', scopes: UNIONS.read })
        expect(await stores.sessions.find(session)).toBeNull()
        expect(await stores.invitations.byCode(code, time)).toBeNull()
        const left = (await stores.tokens.all()).filter(({ userId }) => userId === user.id)
        expect(left.map(({ id }) => id)).toEqual([within.id])
        for (const request of ending) expect(await isUnderWay(request)).toBe(false)
        for (const request of staying) expect(await isUnderWay(request)).toBe(true)
        expect(await stores.tokens.add(newToken({ madeBy: beyond.id }))).toBe(false)
      })

      it('keeps all of it with a role that gives more', async () => {
        const user = await addUser('viewer')
        const session = await openSession(user)
        const request = await begunBy(user.id)
        expect(await stores.users.setRole(user.id, 'editor')).toMatchObject({ scopes: UNIONS.write })
        expect(await stores.sessions.find(session)).not.toBeNull()
        expect(await isUnderWay(request)).toBe(true)
      })

      it('and is removed loses consents under way, also of tokens', async () => {
        const user = await addUser('editor')
        const token = newToken({ userId: user.id })
        await stores.tokens.add(token)
        const requests = [await begunBy(user.id), await begunBy(token.id)]
        await stores.users.remove(user.id)
        for (const request of requests) expect(await isUnderWay(request)).toBe(false)
      })
    })

    describe('roles', () => {
      it('are made, given, changed and deleted once nobody has them', async () => {
        const support = { name: `support-${++counter}`, scopes: ['runs:read', 'runs:replay'] as const, createdAt: time }
        expect(await stores.roles.add(support)).toBe(true)
        expect(await stores.roles.add(support)).toBe(false)
        expect(await stores.roles.add({ ...support, name: 'owner' })).toBe(false)
        expect(await stores.roles.get(support.name)).toEqual(support)
        expect(await stores.roles.get('editor')).toMatchObject({ scopes: UNIONS.write, createdAt: null })
        const names = (await stores.roles.list()).map(({ name }) => name)
        expect(names.slice(0, 3)).toEqual(['viewer', 'editor', 'owner'])
        expect(names).toContain(support.name)

        const user = await addUser('viewer')
        expect(await stores.users.setRole(user.id, 'no-such-role')).toBe('no_role')
        expect(await stores.users.setRole(user.id, support.name)).toMatchObject({ scopes: support.scopes })
        const session = await openSession(user)
        expect((await stores.sessions.find(session))?.user).toMatchObject({
          role: support.name,
          scopes: support.scopes,
        })
        expect(await stores.roles.remove(support.name, time)).toBe('in_use')

        expect(await stores.roles.change(support.name, ['runs:read', 'runs:replay', 'approvals'])).toEqual([user.id])
        expect((await stores.sessions.find(session))?.user.scopes).toContain('approvals')
        const token = newToken({ scopes: ['approvals'], userId: user.id })
        expect(await stores.tokens.add(token)).toBe(true)
        expect(await stores.roles.change(support.name, ['runs:read'])).toEqual([user.id])
        expect(await stores.sessions.find(session)).toBeNull()
        expect(await stores.tokens.find(token.digest)).toBeNull()
        expect(await stores.roles.change('owner', ['runs:read'])).toBeNull()

        await stores.users.setRole(user.id, 'viewer')
        const { id } = await invite({ role: support.name })
        expect(await stores.roles.remove(support.name, time)).toBe('in_use')
        await stores.invitations.remove(id)
        expect(await stores.roles.remove(support.name, time)).toBe('removed')
        expect(await stores.roles.remove(support.name, time)).toBeNull()
        const late = { id: ids.next('inv'), email: null, role: support.name, createdAt: time, expiresAt: time + 1 }
        expect(await stores.invitations.add({ ...late, userId: null }, 'late')).toBe(false)
      })
    })

    describe('the last owner', () => {
      it('stays, also when the last two degrade and remove one another at once', async () => {
        const { items } = await stores.users.list(page)
        const first = items.find(({ role }) => role === 'owner')!
        expect(await stores.users.remove(first.id)).toBe('last_owner')
        expect(await stores.users.setRole(first.id, 'viewer')).toBe('last_owner')
        expect(await stores.users.setRole(first.id, 'owner')).toMatchObject({ role: 'owner' })

        const second = await addUser('owner')
        const results = await Promise.all([stores.users.setRole(first.id, 'editor'), stores.users.remove(second.id)])
        expect(results.filter((result) => result === 'last_owner')).toHaveLength(1)
        const owners = (await stores.users.list(page)).items.filter(({ role }) => role === 'owner')
        expect(owners).toHaveLength(1)
      })
    })

    describe('sessions', () => {
      it('name their user, and note the sign-in', async () => {
        const user = await addUser('viewer')
        time += 5
        const id = await openSession(user)
        expect(await stores.sessions.find(id)).toEqual({
          session: newSession({ id, userId: user.id }),
          user: { ...withoutPassword(user), lastSignInAt: time },
          secondFactor: false,
        })
        await stores.sessions.renew(id, time + 2000)
        expect((await stores.sessions.find(id))?.session.expiresAt).toBe(time + 2000)
        await stores.sessions.end(id)
        expect(await stores.sessions.find(id)).toBeNull()
      })

      it('end with the password, and none is opened with the old one', async () => {
        const user = await addUser('viewer')
        const [mine, other] = [await openSession(user), await openSession(await addUser('viewer'))]
        expect(await stores.users.setPassword(user.id, 'new hash', 'not the hash')).toBe(false)
        expect(await stores.sessions.find(mine)).not.toBeNull()
        expect(await stores.users.setPassword(user.id, 'new hash', user.password)).toBe(true)
        expect(await stores.sessions.find(mine)).toBeNull()
        expect(await stores.sessions.find(other)).not.toBeNull()
        const late = newSession({ id: 'late', userId: user.id })
        expect(await stores.sessions.open(late, user.password!)).toBe(false)
        expect(await stores.sessions.find('late')).toBeNull()
        expect(await stores.users.setPassword(user.id, 'newer hash', null)).toBe(true)
      })

      it('are not opened for a user who has gone', async () => {
        const user = await addUser('viewer')
        await stores.users.remove(user.id)
        const late = newSession({ id: 'too late', userId: user.id })
        expect(await stores.sessions.open(late, user.password!)).toBe(false)
      })
    })

    describe('sessions of a user', () => {
      it('are listed by their last use, and end alone, together, or but for one', async () => {
        const user = await addUser('viewer')
        const [first, second, third] = [await openSession(user), await openSession(user), await openSession(user)]
        await openSession(user, { expiresAt: time })
        await stores.sessions.used(second, time + 7)
        const listed = await stores.sessions.listOf(user.id, time)
        expect(listed).toHaveLength(3)
        expect(listed[0]).toEqual(newSession({ id: second, userId: user.id, usedAt: time + 7 }))
        expect(await stores.sessions.endOf('usr_other', first)).toBe(false)
        expect(await stores.sessions.endOf(user.id, first)).toBe(true)
        expect(await stores.sessions.endAllOf(user.id, third)).toBe(2)
        expect(await stores.sessions.find(third)).not.toBeNull()
        expect(await stores.sessions.endAllOf(user.id, null)).toBe(1)
      })
    })

    describe('identities', () => {
      const newIdentity = (userId: string, change: Partial<IdentityRecord> = {}): IdentityRecord => ({
        id: ids.next('idn'),
        userId,
        issuer: 'https://id.example.com/',
        subject: `subject ${++counter}`,
        email: null,
        madeAccount: true,
        createdAt: time,
        usedAt: null,
        ...change,
      })
      const join = async () => {
        const user = newUser('viewer', { password: null })
        const identity = newIdentity(user.id)
        expect(await stores.identities.addWithUser(user, identity)).toBe('added')
        return { user, identity }
      }
      const openBy = async ({ userId, issuer, subject }: IdentityRecord, sid: string | null = null) => {
        const id = `session ${++counter}`
        const opened = await stores.sessions.openByLogin(newSession({ id, userId, login: { issuer, subject, sid } }))
        return opened ? id : null
      }

      it('come with a user who has no password, once', async () => {
        const { user, identity } = await join()
        expect(await stores.users.byEmail(user.email)).toEqual(user)
        expect(await stores.identities.find(identity)).toEqual(identity)
        const twice = newUser('viewer', { password: null })
        expect(await stores.identities.addWithUser(twice, { ...identity, id: ids.next('idn'), userId: twice.id })).toBe(
          'identity_taken',
        )
        expect(await stores.users.byEmail(twice.email)).toBeNull()
        const taken = newUser('viewer', { email: user.email, password: null })
        expect(await stores.identities.addWithUser(taken, newIdentity(taken.id))).toBe('email_taken')
      })

      it('open sessions, also for a user who was there before, until they are unlinked', async () => {
        const user = await addUser('viewer')
        const identity = newIdentity(user.id, { madeAccount: false })
        expect(await openBy(identity)).toBeNull()
        expect(await stores.identities.link(identity)).toBe(true)
        expect(await stores.identities.link({ ...identity, id: ids.next('idn') })).toBe(false)
        expect(await stores.identities.link(newIdentity('usr_gone'))).toBe(false)
        const [mine, byPassword] = [await openBy(identity, 's1'), await openSession(user)]
        expect((await stores.sessions.find(mine!))?.session.login).toEqual({
          issuer: identity.issuer,
          subject: identity.subject,
          sid: 's1',
        })
        expect(await stores.identities.listOf(user.id)).toEqual([{ ...identity, usedAt: time }])
        expect(await stores.identities.unlink(identity.id, 'usr_other')).toBeNull()
        expect(await stores.identities.unlink(identity.id, user.id)).toMatchObject({ id: identity.id })
        expect(await stores.sessions.find(mine!)).toBeNull()
        expect(await stores.sessions.find(byPassword)).not.toBeNull()
        expect(await openBy(identity)).toBeNull()
      })

      it('end their sessions by the session at the provider, or all of them', async () => {
        const { identity } = await join()
        const { issuer, subject, userId } = identity
        const sessions = [await openBy(identity, 'a'), await openBy(identity, 'b'), await openBy(identity)]
        expect(await stores.sessions.endByLogin('https://other.example/', { sid: 'a', subject })).toEqual([])
        expect(await stores.sessions.endByLogin(issuer, { sid: 'a', subject: null })).toEqual([userId])
        expect(await stores.sessions.find(sessions[0]!)).toBeNull()
        expect(await stores.sessions.endByLogin(issuer, { sid: null, subject })).toEqual([userId])
        for (const id of sessions) expect(await stores.sessions.find(id!)).toBeNull()
      })

      it('have logout tokens that are taken once, until they expire', async () => {
        const take = (now: number) => stores.logoutTokens.take('token', time + 10, now)
        expect(await Promise.all([take(time), take(time)])).toContain(false)
        expect(await take(time + 9)).toBe(false)
        expect(await take(time + 10)).toBe(true)
      })
    })

    describe('second factors', () => {
      it('count once they are confirmed, take each step once, and go with their codes', async () => {
        const user = await addUser('owner')
        const { secondFactors: factors } = stores
        expect(await factors.begin(user.id, 'FIRST', time)).toBe(true)
        expect(await factors.begin(user.id, 'SECRET', time)).toBe(true)
        expect(await factors.get(user.id)).toEqual({ secret: 'SECRET', confirmedAt: null, usedStep: 0 })
        const session = await openSession(user)
        expect((await stores.sessions.find(session))?.secondFactor).toBe(false)
        expect(await factors.having([user.id])).toEqual(new Set())
        expect(await factors.confirm(user.id, 5, time, ['a', 'b'])).toBe(true)
        expect(await factors.confirm(user.id, 6, time, ['c'])).toBe(false)
        expect(await factors.begin(user.id, 'ANOTHER', time)).toBe(false)
        expect((await stores.sessions.find(session))?.secondFactor).toBe(true)
        expect(await factors.having([user.id, 'usr_other'])).toEqual(new Set([user.id]))
        expect(await Promise.all([factors.useStep(user.id, 6), factors.useStep(user.id, 6)])).toContain(false)
        expect(await factors.useStep(user.id, 5)).toBe(false)
        expect(await factors.useRecoveryCode(user.id, 'a')).toBe(true)
        expect(await factors.useRecoveryCode(user.id, 'a')).toBe(false)
        expect(await factors.recoveryCodesLeft(user.id)).toBe(1)
        await factors.replaceRecoveryCodes(user.id, ['d', 'e', 'f'])
        expect(await factors.recoveryCodesLeft(user.id)).toBe(3)
        expect(await factors.remove(user.id)).toBe(true)
        expect(await factors.remove(user.id)).toBe(false)
        expect(await factors.recoveryCodesLeft(user.id)).toBe(0)
      })
    })

    describe('a break-glass owner', () => {
      it('is an owner with a password', async () => {
        const [owner, editor] = [await addUser('owner'), await addUser('editor')]
        expect(await stores.users.setBreakGlass(editor.id, true)).toBe(false)
        expect(await stores.users.setBreakGlass(owner.id, true)).toBe(true)
        expect((await stores.users.get(owner.id))?.breakGlass).toBe(true)
        expect(await stores.users.setBreakGlass(owner.id, false)).toBe(true)
        expect((await stores.users.get(owner.id))?.breakGlass).toBe(false)
      })
    })

    describe('invitations', () => {
      it('are found by their code until their time is up, listed and taken back', async () => {
        const { code, ...invitation } = await invite({ email: 'guest@example.com', role: 'owner' })
        const past = await invite({ expiresAt: time })
        expect(await stores.invitations.byCode(code, time)).toEqual(invitation)
        expect(await stores.invitations.byCode(past.code, time)).toBeNull()
        const { items } = await stores.invitations.list(time, page)
        expect(items[0]).toEqual(invitation)
        expect(items.map(({ id }) => id)).not.toContain(past.id)
        expect(await stores.invitations.remove(invitation.id)).toEqual(invitation)
        expect(await stores.invitations.remove(invitation.id)).toBeNull()
        expect(await stores.invitations.byCode(code, time)).toBeNull()
      })

      it('go with the user who made them, or with the role of an owner', async () => {
        const [gone, degraded, stays] = [await addUser('owner'), await addUser('owner'), await addUser('owner')]
        const codes: string[] = []
        for (const { id } of [gone, degraded, stays]) codes.push((await invite({ userId: id })).code)
        await stores.users.remove(gone.id)
        await stores.users.setRole(degraded.id, 'editor')
        await stores.users.setRole(stays.id, 'owner')
        const found = await Promise.all(codes.map((code) => stores.invitations.byCode(code, time)))
        expect(found.map((invitation) => invitation?.userId)).toEqual([undefined, undefined, stays.id])
      })

      it('are not made by a user who is no longer an owner', async () => {
        const user = await addUser('editor')
        const late = { id: ids.next('inv'), email: null, role: 'owner' as const, createdAt: time, expiresAt: time + 1 }
        for (const userId of [user.id, 'usr_gone'])
          expect(await stores.invitations.add({ ...late, userId }, `late ${userId}`)).toBe(false)
      })
    })

    describe('tokens', () => {
      it('are given back as they were added, with their last use', async () => {
        const token = newToken({
          scopes: ['flows:read', 'approvals'],
          expiresAt: time + 60_000,
          limit: { flows: ['flow_1'], tags: ['billing', 'a "tag"'] },
        })
        await stores.tokens.add(token)
        await stores.tokens.used(token.id, time + 7, '192.0.2.7')
        const found = async () => (await stores.tokens.all()).find(({ id }) => id === token.id)
        const used = { ...token, lastUsedAt: time + 7, lastAddress: '192.0.2.7' }
        expect(await found()).toEqual(used)
        expect(await stores.tokens.remove(token.id)).toEqual(used)
        expect(await stores.tokens.remove(token.id)).toBeNull()
        expect(await found()).toBeUndefined()
      })
    })

    describe('a revoked token', () => {
      it('goes with what it made', async () => {
        const [maker, other] = [newToken(), newToken()]
        const made = newToken({ madeBy: maker.id })
        for (const token of [maker, other, made]) await stores.tokens.add(token)
        await stores.tokens.remove(maker.id)
        const left = new Set((await stores.tokens.all()).map(({ id }) => id))
        expect([maker, other, made].map(({ id }) => left.has(id))).toEqual([false, true, false])
      })
    })

    describe('a token that reaches further than its user', () => {
      it('is not made', async () => {
        const user = await addUser('editor')
        expect(await stores.tokens.add({ ...newToken(), scopes: UNIONS.write, userId: user.id })).toBe(true)
        expect(await stores.tokens.add({ ...newToken(), scopes: UNIONS.admin, userId: user.id })).toBe(false)
        expect(await stores.tokens.add({ ...newToken(), scopes: UNIONS.read, userId: 'usr_gone' })).toBe(false)
      })
    })

    describe('housekeeping', () => {
      it('deletes sessions and invitations past their time, and no others', async () => {
        const user = await addUser('viewer')
        const [old, live] = [await openSession(user, { expiresAt: time - 1 }), await openSession(user)]
        const past = await invite({ expiresAt: time - 1 })
        const open = await invite()
        for (let deleted = 1; deleted > 0; ) deleted = await stores.housekeeping.deleteOlderThan(0, time, 2)
        expect(await stores.sessions.find(old)).toBeNull()
        expect(await stores.sessions.find(live)).not.toBeNull()
        expect(await stores.invitations.remove(past.id)).toBeNull()
        expect(await stores.invitations.remove(open.id)).not.toBeNull()
      })
    })
  })
}
