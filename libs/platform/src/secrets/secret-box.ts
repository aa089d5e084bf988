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
 * A sealed secret that cannot be opened: sealed with another key, or not a result of `seal`.
 * It contains neither the secret nor the sealed bytes.
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

/** A lookup key that a database may have used first. */
export interface LookupCandidate {
  /** Check value that recognises the key. */
  readonly check: Buffer;
  /** The key, sealed. */
  readonly sealed: Buffer;
}

const LOOKUP_CHECK = 'encryption key of this instance';

/**
 * Encrypts secrets that are sent again (link tokens, shared secrets of partners), and makes lookup keys, with which
 * they are found without being opened.
 *
 * The encryption key is requested at first use: a process without secrets needs none. Values that were sealed with the
 * previous key can be opened, too, while that key is given. Lookups use a separate key. Its first value is derived
 * from the encryption key, and it stays when that changes.
 */
export class SecretBox {
  private keys: readonly [Keys, ...Keys[]] | undefined;
  private adopted: KeyObject | undefined;

  /**
   * @param encryptionKey returns the 32 bytes; its errors are thrown at first use
   * @param previousKey returns the bytes of the other key, if there is one
   */
  constructor(
    private readonly encryptionKey: () => Buffer,
    private readonly previousKey: () => Buffer | undefined = () => undefined,
  ) {}

  /** Requests the key now, for a service that should not start without it. */
  requireKey(): void {
    this.ready();
  }

  /**
   * AES-256-GCM with a new nonce: the same text is sealed differently each time.
   * @param purpose it can be opened for this purpose only; none for stored values
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

  /** HMAC-SHA-256 (32 bytes): the same text always gives the same key, which reveals nothing about the text. */
  lookup(text: string): Buffer {
    return hmac(this.adopted ?? this.ready()[0].lookup, text);
  }

  /** Whether this is the lookup key of the text, in constant time. */
  matches(text: string, lookup: Buffer): boolean {
    return timingSafeEqual(this.lookup(text), lookup);
  }

  /** First bytes of values that were sealed with each key, the present key first. */
  get marks(): readonly [Buffer, ...Buffer[]] {
    const [current, ...others] = this.ready();
    return [current.header, ...others.map(({ header }) => header)];
  }

  /** The lookup keys that a database without a stored one can have used. */
  get lookupCandidates(): readonly LookupCandidate[] {
    return this.ready().map(({ lookup }) => ({
      check: hmac(lookup, LOOKUP_CHECK),
      sealed: this.seal(lookup.export().toString('base64')),
    }));
  }

  /** Uses this lookup key from now on. @throws SecretUnreadable */
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

/** Derives one key per purpose: a derived key reveals nothing about the others. */
function deriveKeys(encryptionKey: Buffer): Keys {
  const derive = (purpose: string, bytes: number): Buffer =>
    Buffer.from(hkdfSync('sha256', encryptionKey, '', `drawbridge ${purpose} v1`, bytes));
  return {
    header: Buffer.concat([Buffer.from([FORMAT]), derive('key id', KEY_ID_BYTES)]),
    // Made once, because bytes would be converted into a key at every use.
    sealing: createSecretKey(derive('sealing', 32)),
    lookup: createSecretKey(derive('lookup', 32)),
  };
}
