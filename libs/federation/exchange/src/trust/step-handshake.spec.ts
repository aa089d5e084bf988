import { SecretText, type AskAnswer, type PeerProfile, type SecretAnswer } from '#federation/protocol';
import { policyFrom, type PartnerTrust } from '#sharing';
import type { DueHandshake, HandshakePorts, HandshakeState } from '../ports/handshakes';
import type { ProfileFound } from '../ports/profile-found';
import { stepHandshake } from './step-handshake';

const PROFILE = { baseUrl: 'https://there.example.org' } as PeerProfile;
const DUE: DueHandshake = {
  peerId: 3,
  state: 'asking',
  sealedOwnToken: Buffer.from('our token'),
  sealedPartnerToken: null,
  hasSecret: false,
  attempts: 1,
};
const FETCHING: DueHandshake = {
  ...DUE,
  state: 'fetching',
  sealedOwnToken: null,
  sealedPartnerToken: Buffer.from('their token'),
};

/** A partner that should come to trust us, and the state of the handshake. */
class Handshakes implements HandshakePorts {
  trust: PartnerTrust = 'trusted';
  found: ProfileFound = { kind: 'partner', profile: PROFILE };
  toAsking: AskAnswer = 'will-fetch';
  toFetching: SecretAnswer = { kind: 'secret', secret: new SecretText('in common') };
  readonly tokens: string[] = [];
  moved: { readonly to: HandshakeState; readonly afterSeconds: number | null } | undefined;
  secret: string | undefined;
  readonly publicUrl = 'https://here.example.org';
  readonly policy = { current: () => Promise.resolve(policyFrom(new Map())) };
  readonly partners = {
    find: (id: number) =>
      Promise.resolve({
        id,
        hostKey: 'there.example.org',
        trust: this.trust,
        outgoingTrust: null,
        paused: false,
      }),
    profileOf: () => Promise.resolve(this.found),
  };
  readonly handshakes: HandshakePorts['handshakes'] = {
    move: (_handshake, to, afterSeconds) => Promise.resolve(void (this.moved = { to, afterSeconds })),
    finish: (_handshake, { secretHmac, sealedSecret }) =>
      Promise.resolve(void (this.secret = `${secretHmac.toString()}, ${sealedSecret.toString()}`)),
  };
  readonly calls: HandshakePorts['calls'] = {
    askForFetch: (_partner, _ourUrl, token) => this.answer(token, this.toAsking),
    fetchSecret: (_partner, _ourUrl, token) => this.answer(token, this.toFetching),
  };
  readonly secrets = {
    open: (sealed: Buffer) => sealed.toString(),
    lookup: (secret: string) => Buffer.from(`key of ${secret}`),
    seal: (secret: string) => Buffer.from(`sealed ${secret}`),
  };

  private answer<T>(token: SecretText, answer: T): Promise<T> {
    this.tokens.push(token.reveal());
    return Promise.resolve(answer);
  }
}

let ports: Handshakes;
beforeEach(() => void (ports = new Handshakes()));

it.each<[AskAnswer, HandshakeState]>([
  ['will-fetch', 'asked'],
  ['will-ask', 'declined'],
])('asks the partner to fetch the secret with our token: %s', async (answer, to) => {
  ports.toAsking = answer;
  expect(await stepHandshake(ports, DUE)).toEqual({ kind: 'moved' });
  expect([ports.tokens, ports.moved]).toEqual([['our token'], { to, afterSeconds: null }]);
});

it('fetches the secret with the token of the partner, and keeps it in both forms', async () => {
  expect(await stepHandshake(ports, FETCHING)).toEqual({ kind: 'agreed' });
  expect([ports.tokens, ports.secret]).toEqual([['their token'], 'key of in common, sealed in common']);
});

it.each<[string, Partial<DueHandshake>, HandshakeState, number | null]>([
  ['asks again where it asked before', { sealedOwnToken: Buffer.from('our token') }, 'asking', 30],
  ['keeps the secret of before', { hasSecret: true }, 'done', null],
  ['fails where there was nothing before', {}, 'failed', null],
])('whose secret is refused %s', async (_what, before, to, afterSeconds) => {
  ports.toFetching = { kind: 'refused' };
  await stepHandshake(ports, { ...FETCHING, ...before });
  expect([ports.moved, ports.secret]).toEqual([{ to, afterSeconds }, undefined]);
});

it.each([
  [1, 30],
  [4, 240],
  [20, 6 * 3600],
])('waits longer after each attempt that came to nothing: %i', async (attempts, afterSeconds) => {
  ports.found = { kind: 'inconclusive', reason: 'timeout', isNew: false } as unknown as ProfileFound;
  expect(await stepHandshake(ports, { ...DUE, attempts })).toMatchObject({ kind: 'waiting' });
  expect(ports.moved).toEqual({ to: 'asking', afterSeconds });
});

it('gives up after 25 attempts', async () => {
  ports.toAsking = 'later';
  await stepHandshake(ports, { ...DUE, attempts: 25 });
  expect(ports.moved).toEqual({ to: 'failed', afterSeconds: null });
});

it('calls no partner that is no longer trusted', async () => {
  ports.trust = 'allowed';
  await stepHandshake(ports, DUE);
  expect([ports.tokens, ports.moved?.to]).toEqual([[], 'failed']);
});
