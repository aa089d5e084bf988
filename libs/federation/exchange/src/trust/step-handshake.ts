import { SecretText, type PeerProfile } from '#federation/protocol';
import { trustIn } from '#sharing';
import type { DueHandshake, HandshakePorts } from '../ports/handshakes';
import type { ReachedPartner } from '../ports/reached-partners';

/** Seconds between attempts: they double from the first pause to the longest. */
const FIRST_PAUSE = 30;
const LONGEST_PAUSE = 6 * 3600;
/** All attempts together take somewhat more than four days. */
const ATTEMPTS_AT_MOST = 25;

/** Result of a step: `agreed` on a secret, `waiting` for another attempt for this reason, or moved to another state. */
export type HandshakeProgress =
  | { readonly kind: 'agreed' | 'moved' }
  | { readonly kind: 'waiting'; readonly reason: string };

/** The profile of the partner is known, so it is not looked up again. */
type StepPorts = Omit<HandshakePorts, 'partners'>;

const MOVED: HandshakeProgress = { kind: 'moved' };

/** Makes the due call of a handshake with a trusted partner: asks it to fetch a secret from us, or fetches one. */
export async function stepHandshake<Partner extends ReachedPartner>(
  ports: HandshakePorts<Partner>,
  handshake: DueHandshake,
): Promise<HandshakeProgress> {
  const { partners, handshakes, policy } = ports;
  const partner = await partners.find(handshake.peerId);
  if (!partner || trustIn(await policy.current(), 'incoming', partner) !== 'trusted') {
    await handshakes.move(handshake, 'failed', null, 'it is not trusted');
    return MOVED;
  }
  const found = await partners.profileOf(partner);
  if (found.kind !== 'partner') return wait(ports, handshake, 'its server gives no answer');
  return handshake.state === 'fetching'
    ? fetchSecret(ports, handshake, found.profile)
    : askForFetch(ports, handshake, found.profile);
}

async function askForFetch(
  ports: StepPorts,
  handshake: DueHandshake,
  profile: PeerProfile,
): Promise<HandshakeProgress> {
  const token = open(ports, handshake.sealedOwnToken);
  const answer = await ports.calls.askForFetch(profile, ports.publicUrl, token);
  if (answer === 'later') return wait(ports, handshake, 'its server did not take our request');
  if (answer === 'will-fetch')
    await ports.handshakes.move(handshake, 'asked', null, 'its server will fetch the secret');
  else
    await ports.handshakes.move(handshake, 'declined', null, 'its server wants to ask, or does not trust us');
  return MOVED;
}

async function fetchSecret(
  ports: StepPorts,
  handshake: DueHandshake,
  profile: PeerProfile,
): Promise<HandshakeProgress> {
  const token = open(ports, handshake.sealedPartnerToken);
  const answer = await ports.calls.fetchSecret(profile, ports.publicUrl, token);
  if (answer.kind === 'later') return wait(ports, handshake, 'its server did not give the secret');
  if (answer.kind === 'refused') {
    await afterRefusal(ports, handshake);
    return MOVED;
  }
  const secret = answer.secret.reveal();
  const { secrets } = ports;
  await ports.handshakes.finish(handshake, {
    secretHmac: secrets.lookup(secret),
    sealedSecret: secrets.seal(secret),
  });
  return { kind: 'agreed' };
}

/** The request may have come from somebody else in the partner's name: then the earlier handshake continues. */
function afterRefusal({ handshakes }: StepPorts, handshake: DueHandshake): Promise<void> {
  const reason = 'its server refused the secret';
  if (handshake.sealedOwnToken) return handshakes.move(handshake, 'asking', FIRST_PAUSE, reason);
  return handshakes.move(handshake, handshake.hasSecret ? 'done' : 'failed', null, reason);
}

async function wait(
  { handshakes }: StepPorts,
  handshake: DueHandshake,
  reason: string,
): Promise<HandshakeProgress> {
  const { attempts, state } = handshake;
  const isGivenUp = attempts >= ATTEMPTS_AT_MOST;
  const pause = Math.min(FIRST_PAUSE * 2 ** (attempts - 1), LONGEST_PAUSE);
  await handshakes.move(handshake, isGivenUp ? 'failed' : state, isGivenUp ? null : pause, reason);
  return { kind: 'waiting', reason };
}

function open({ secrets }: StepPorts, sealed: Buffer | null): SecretText {
  if (!sealed) throw new Error('a handshake has no token for its step');
  return new SecretText(secrets.open(sealed));
}
