import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
  type KeyObject,
} from 'node:crypto';

/**
 * A sealed secret that cannot be opened: sealed under another key, or not what `seal` returned.
 * Carries neither the secret nor the sealed bytes.
 */
export class SecretUnreadable extends Error {
  constructor(readonly reason: 'another-key' | 'damaged') {
    super(
      reason === 'another-key'
        ? 'the secret was sealed with another encryption key'
        : 'the sealed secret is damaged',
    );
  }
}

/** A sealed secret: format (1 byte), key id (4), nonce (12), tag (16), ciphertext. */
const FORMAT = 1;
const KEY_ID_BYTES = 4;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const HEADER_BYTES = 1 + KEY_ID_BYTES;
const CIPHERTEXT_AT = HEADER_BYTES + NONCE_BYTES + TAG_BYTES;

interface Keys {
  readonly header: Buffer;
  readonly sealing: KeyObject;
  readonly lookup: KeyObject;
}

/** A key of lookups that a database may have begun with. */
export interface LookupCandidate {
  /** Mark by which the key is recognised. */
  readonly check: Buffer;
  /** The key, sealed. */
  readonly sealed: Buffer;
}

const LOOKUP_CHECK = 'encryption key of this instance';

/**
 * Encrypts secrets that must be sent again (link tokens, shared secrets of partners), and makes the keys by which
 * they are found without being opened.
 *
 * The encryption key is asked for at first use: a process that stores no secret needs none. A value that another key
 * sealed is opened too as long as that key is given. Lookups go by a key of their own, which begins as one that is made
 * from the encryption key and stays when that changes.
 */
export class SecretBox {
  private keys: readonly [Keys, ...Keys[]] | undefined;
  private adopted: KeyObject | undefined;

  /**
   * @param encryptionKey returns the 32 bytes; its errors are thrown by the first use
   * @param previousKey returns those of the other key, if there is one
   */
  constructor(
    private readonly encryptionKey: () => Buffer,
    private readonly previousKey: () => Buffer | undefined = () => undefined,
  ) {}

  /** Asks for the key now, for a service that would rather not start than fail at its first request. */
  requireKey(): void {
    this.ready();
  }

  /**
   * AES-256-GCM under a fresh nonce: the same text is sealed differently each time.
   * @param purpose opened for this purpose only; none for what is stored
   */
  seal(text: string, purpose = ''): Buffer {
    const [{ header, sealing }] = this.ready();
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv('aes-256-gcm', sealing, nonce, { authTagLength: TAG_BYTES }).setAAD(
      boundTo(header, purpose),
    );
    const ciphertext = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return Buffer.concat([header, nonce, cipher.getAuthTag(), ciphertext]);
  }

  /** @param purpose for which it was sealed @throws SecretUnreadable */
  open(sealed: Buffer, purpose = ''): string {
    if (sealed.length < CIPHERTEXT_AT || sealed[0] !== FORMAT) throw new SecretUnreadable('damaged');
    const keys = this.ready().find(({ header }) => sealed.subarray(0, HEADER_BYTES).equals(header));
    if (!keys) throw new SecretUnreadable('another-key');
    const { header, sealing } = keys;
    const nonce = sealed.subarray(HEADER_BYTES, HEADER_BYTES + NONCE_BYTES);
    const decipher = createDecipheriv('aes-256-gcm', sealing, nonce, { authTagLength: TAG_BYTES })
      .setAAD(boundTo(header, purpose))
      .setAuthTag(sealed.subarray(HEADER_BYTES + NONCE_BYTES, CIPHERTEXT_AT));
    try {
      return Buffer.concat([decipher.update(sealed.subarray(CIPHERTEXT_AT)), decipher.final()]).toString(
        'utf8',
      );
    } catch {
      throw new SecretUnreadable('damaged');
    }
  }

  /** HMAC-SHA-256 (32 bytes): the same text always gives the same key, which says nothing about the text. */
  lookup(text: string): Buffer {
    return hmac(this.adopted ?? this.ready()[0].lookup, text);
  }

  /** Whether this is the lookup of the text; how long that takes says nothing of it. */
  matches(text: string, lookup: Buffer): boolean {
    return timingSafeEqual(this.lookup(text), lookup);
  }

  /** First bytes of whatever is sealed with each key, that of today first. */
  get marks(): readonly [Buffer, ...Buffer[]] {
    const [current, ...others] = this.ready();
    return [current.header, ...others.map(({ header }) => header)];
  }

  /** The keys of lookups that a database without one can have been used with. */
  get lookupCandidates(): readonly LookupCandidate[] {
    return this.ready().map(({ lookup }) => ({
      check: hmac(lookup, LOOKUP_CHECK),
      sealed: this.seal(lookup.export().toString('base64')),
    }));
  }

  /** Lookups go by this key from now on. @throws SecretUnreadable */
  adoptLookupKey(sealed: Buffer): void {
    this.adopted = createSecretKey(Buffer.from(this.open(sealed), 'base64'));
  }

  private ready(): readonly [Keys, ...Keys[]] {
    if (!this.keys) {
      const previous = this.previousKey();
      this.keys = [deriveKeys(this.encryptionKey()), ...(previous ? [deriveKeys(previous)] : [])];
    }
    return this.keys;
  }
}

const boundTo = (header: Buffer, purpose: string): Buffer => Buffer.concat([header, Buffer.from(purpose)]);
const hmac = (key: KeyObject, text: string): Buffer =>
  createHmac('sha256', key).update(text, 'utf8').digest();

/** One purpose, one key: a derived key says nothing about the others. */
function deriveKeys(encryptionKey: Buffer): Keys {
  const derive = (purpose: string, bytes: number): Buffer =>
    Buffer.from(hkdfSync('sha256', encryptionKey, '', `drawbridge ${purpose} v1`, bytes));
  return {
    header: Buffer.concat([Buffer.from([FORMAT]), derive('key id', KEY_ID_BYTES)]),
    // Made once: bytes would be made into a key at every use.
    sealing: createSecretKey(derive('sealing', 32)),
    lookup: createSecretKey(derive('lookup', 32)),
  };
}
