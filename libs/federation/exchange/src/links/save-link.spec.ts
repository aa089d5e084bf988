import {
  linkKeysText,
  SecretText,
  type LinkAnswer,
  type LinkPlace,
  type PeerProfile,
} from '#federation/protocol';
import { policyFrom, type PartnerTrust } from '#sharing';
import { InMemoryExchange } from '../../../../testing/src/fakes/in-memory-exchange';
import type { ForeignLinkEntry, LinkFailure, LinkToSave, SaveLinkPorts } from '../ports/foreign-links';
import type { ProfileFound } from '../ports/profile-found';
import { saveLink } from './save-link';

const HOST = 'there.example.org';
const PROFILE = { baseUrl: `https://${HOST}`, product: 'owncloud' } as unknown as PeerProfile;
const KEYS = { token: new SecretText('LinkToken'), password: new SecretText(''), name: 'plans' };
const FOLDER: ForeignLinkEntry = { kind: 'folder', size: 0, permissions: 31 };
const FILE: ForeignLinkEntry = { kind: 'file', size: 5, permissions: 1 };

/** A link at another server, and the result of saving it. */
class Saving implements SaveLinkPorts {
  readonly world = new InMemoryExchange();
  answer: LinkAnswer = { kind: 'unsupported' };
  trust: PartnerTrust = 'allowed';
  enabled = true;
  found: ProfileFound = { kind: 'partner', profile: PROFILE };
  /** Entries at each address, or its failure. */
  shown: Partial<Record<LinkPlace, readonly ForeignLinkEntry[] | LinkFailure>> = {};
  reading: LinkFailure | undefined;
  outcome: unknown;
  kept: Parameters<SaveLinkPorts['keep']>[1] | undefined;
  room = true;
  readonly publicUrl = 'https://here.example.org';
  readonly policy = { current: () => Promise.resolve(policyFrom(new Map())) };
  readonly acceptance = this.world.acceptance;
  readonly partners = {
    find: (id: number) =>
      Promise.resolve({ id, hostKey: HOST, trust: this.trust, outgoingTrust: null, paused: false }),
    profileOf: () => Promise.resolve(this.found),
  };
  readonly accounts = {
    find: () => Promise.resolve({ enabled: this.enabled, displayName: 'Alice', email: null }),
  };
  readonly links = {
    waiting: (id: number): Promise<LinkToSave> =>
      Promise.resolve({ id, uid: 'alice', peerId: 1, sealedKeys: Buffer.from(linkKeysText(KEYS)) }),
    asked: (_id: number, providerId: string | null) => Promise.resolve(void (this.outcome = { providerId })),
    refuse: (_link: LinkToSave, reason: string, words: string) =>
      Promise.resolve(void (this.outcome = { reason, words })),
  };
  readonly calls = { ask: () => Promise.resolve(this.answer) };
  readonly secrets = {
    seal: (secret: string) => Buffer.from(secret),
    open: (sealed: Buffer) => sealed.toString(),
  };

  reader(_partner: unknown, place: LinkPlace) {
    const shown = this.shown[place] ?? 'missing';
    return {
      entries: (depth: 0 | 1) =>
        Promise.resolve(depth === 0 && typeof shown !== 'string' ? shown.slice(0, 1) : shown),
      tryToRead: () => Promise.resolve(this.reading),
    };
  }

  isName(name: string): boolean {
    return !name.includes('/');
  }

  async keep(...[uid, share]: Parameters<SaveLinkPorts['keep']>): Promise<number | undefined> {
    this.kept = share;
    if (!this.room) return undefined;
    const stored = await this.world.received.insert({ ...share, tokenHmac: Buffer.from('key') }, [uid], '');
    return stored.get(uid) as number;
  }
}

let saving: Saving;
beforeEach(() => {
  saving = new Saving();
  saving.world.addUser('alice');
  saving.world.enter(HOST);
});
const save = () => saveLink(saving, saving.acceptance.addLink('alice', 1, null));

it('waits for the offer of a server that supports the call', async () => {
  saving.answer = { kind: 'offered', providerId: '7' };
  expect(await save()).toEqual({ hostKey: HOST, reason: undefined });
  expect(saving.outcome).toEqual({ providerId: '7' });
});

it('mounts a link of a server without the call, without the permission to share', async () => {
  saving.shown = { webdav: [FOLDER, FILE] };
  expect(await save()).toEqual({ hostKey: HOST, reason: undefined });
  expect(saving.kept).toMatchObject({ name: 'plans', permissions: 15, access: { link: 'webdav' } });
  expect(saving.world.receivedShares).toMatchObject([{ state: 'accepted', fileTarget: '/plans' }]);
});

it.each<[string, Saving['shown'], LinkFailure | undefined, string]>([
  ['its server is away', { webdav: 'away' }, undefined, 'unreachable'],
  [
    'the second place asks for a password',
    { webdav: 'denied', 'public-files': 'denied' },
    undefined,
    'wrong-password',
  ],
  [
    'the second place does not know it',
    { webdav: 'denied', 'public-files': 'missing' },
    undefined,
    'unknown-link',
  ],
  ['the first place denies it alone', { webdav: 'denied', 'public-files': 'other' }, undefined, 'refused'],
  ['no place is one', { webdav: 'other', 'public-files': 'other' }, undefined, 'unsupported'],
  ['it only takes files', { webdav: [{ ...FOLDER, permissions: 4 }] }, undefined, 'refused'],
  ['its files cannot be read', { webdav: [FOLDER, FILE] }, 'forbidden', 'refused'],
])('mounts no link if %s', async (_what, shown, reading, reason) => {
  Object.assign(saving, { shown, reading });
  expect((await save())?.reason).toBe(reason);
  expect([saving.outcome, saving.kept]).toEqual([{ reason, words: '' }, undefined]);
});

it('is refused if the recipient has too many pending shares', async () => {
  Object.assign(saving, { shown: { webdav: [FILE] }, room: false });
  expect((await save())?.reason).toBe('full');
});

it.each<[string, Partial<Saving>]>([
  ['a partner that is denied', { trust: 'denied' }],
  ['an account that is disabled', { enabled: false }],
])('asks nobody for %s', async (_what, given) => {
  const ask = jest.spyOn(saving.calls, 'ask');
  Object.assign(saving, given);
  expect((await save())?.reason).toBe('barred');
  expect(ask).not.toHaveBeenCalled();
});

it('believes Nextcloud that there is no such link, because its addresses answer as for a wrong password', async () => {
  const words = 'The requested share does not exist anymore';
  const shown = { webdav: 'denied', 'public-files': 'denied' };
  Object.assign(saving, { answer: { kind: 'refused', words }, shown });
  expect((await save())?.reason).toBe('unknown-link');
  Object.assign(saving, { answer: { kind: 'refused', words: 'No permission to access the share' } });
  expect((await save())?.reason).toBe('wrong-password');
});

it('shows the text of a server that refuses the call although it shows the link', async () => {
  Object.assign(saving, { answer: { kind: 'refused', words: 'not to you' }, shown: { webdav: [FILE] } });
  await save();
  expect(saving.outcome).toEqual({ reason: 'refused', words: 'not to you' });
});
