import { createHash, generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto';
import { isoCBOR } from '@simplewebauthn/server/helpers';

const USER_PRESENT = 0x01;
const ATTESTED = 0x40;

const sha256 = (data: string | Buffer): Buffer => createHash('sha256').update(data).digest();
const base64url = (data: Uint8Array | string): string => Buffer.from(data).toString('base64url');

/** Ways in which an answer can be wrong. */
export interface Manner {
  /** Of the page, as the browser tells it. */
  readonly origin?: string;
  readonly rpId?: string;
  readonly isPresent?: boolean;
  readonly count?: number;
  readonly type?: string;
}

/** A security key in memory: it makes one passkey (ES256, no attestation), and answers challenges with it. */
export class SoftwareAuthenticator {
  private readonly privateKey: KeyObject;
  private readonly coseKey: Uint8Array;
  readonly credentialId = randomBytes(32);
  private count = 0;

  /** @param origin of the page that asks */
  constructor(private readonly origin: string) {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    this.privateKey = privateKey;
    const { x, y } = publicKey.export({ format: 'jwk' });
    const key = new Map<number, number | Uint8Array>([
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, new Uint8Array(Buffer.from(x!, 'base64url'))],
      [-3, new Uint8Array(Buffer.from(y!, 'base64url'))],
    ]);
    this.coseKey = isoCBOR.encode(key);
  }

  /** Answer of `navigator.credentials.create`, as JSON. */
  register(challenge: string, manner: Manner = {}): string {
    const id = this.credentialId;
    const length = Buffer.from([id.length >> 8, id.length & 0xff]);
    const attested = Buffer.concat([Buffer.alloc(16), length, id, this.coseKey]);
    const authData = Buffer.concat([this.authData(manner, ATTESTED), attested]);
    const object = new Map<string, unknown>([
      ['fmt', 'none'],
      ['attStmt', new Map()],
      ['authData', new Uint8Array(authData)],
    ]);
    return this.answer({
      clientDataJSON: this.clientData('webauthn.create', challenge, manner),
      attestationObject: base64url(isoCBOR.encode(object as never)),
      transports: ['usb'],
    });
  }

  /** Answer of `navigator.credentials.get`, as JSON. */
  authenticate(challenge: string, manner: Manner = {}): string {
    this.count = manner.count ?? this.count + 1;
    const authData = this.authData(manner, 0);
    const clientDataJSON = this.clientData('webauthn.get', challenge, manner);
    const signed = Buffer.concat([authData, sha256(Buffer.from(clientDataJSON, 'base64url'))]);
    return this.answer({
      clientDataJSON,
      authenticatorData: base64url(authData),
      signature: base64url(sign('sha256', signed, this.privateKey)),
    });
  }

  private answer(response: object): string {
    const id = base64url(this.credentialId);
    return JSON.stringify({ id, rawId: id, type: 'public-key', clientExtensionResults: {}, response });
  }

  private authData({ rpId, isPresent = true }: Manner, flags: number): Buffer {
    const count = Buffer.alloc(4);
    count.writeUInt32BE(this.count);
    const site = sha256(rpId ?? new URL(this.origin).hostname);
    return Buffer.concat([site, Buffer.from([flags | (isPresent ? USER_PRESENT : 0)]), count]);
  }

  private clientData(type: string, challenge: string, manner: Manner): string {
    const { origin = this.origin } = manner;
    return base64url(JSON.stringify({ type: manner.type ?? type, challenge, origin, crossOrigin: false }));
  }
}
