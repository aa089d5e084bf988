import type { UnsignedRequest, RequestOnWire } from '../../../libs/testing/src';
import type { Scene } from './attack';
import { notification, offerBy, tokenRequest } from './targets';

/** Messages of X that are accepted, and a second time change only the expected rows. */
export const REPLAYED: readonly [name: string, request: (scene: Scene) => UnsignedRequest][] = [
  ['an offer', ({ world }) => offerBy(world.x)],
  ['an acceptance', ({ prize }) => notification('SHARE_ACCEPTED', prize.given.x)],
  ['an exchange for a token', ({ prize, world }) => tokenRequest(world.x.host, prize.given.x.secret)],
];

/** The number of points of P-256. */
const ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;
const HALF = 32;

/** The same message with the other valid ECDSA signature, which anyone can compute from the first. */
export function withOtherSignature(message: RequestOnWire): RequestOnWire {
  const headers = message.headers.map(
    ([name, value]) => [name, name === 'signature' ? other(value) : value] as const,
  );
  return { ...message, headers };
}

function other(header: string): string {
  const bytes = Buffer.from(/^ocm=:(.+):$/.exec(header)![1]!, 'base64');
  const s = BigInt(`0x${bytes.subarray(HALF).toString('hex')}`);
  const negated = (ORDER - s).toString(16).padStart(2 * HALF, '0');
  const signature = Buffer.concat([bytes.subarray(0, HALF), Buffer.from(negated, 'hex')]);
  return `ocm=:${signature.toString('base64')}:`;
}
