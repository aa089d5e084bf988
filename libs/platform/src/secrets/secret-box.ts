import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';

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
  readonly sealing: Buffer;
  readonly lookup: Buffer;
}

/**
 * Encrypts secrets that must be sent again (link tokens, shared secrets of partners), and makes the keys by which
 * they are found without being opened.
 *
 * The encryption key is asked for at first use: a process that stores no secret needs none.
 */
export class SecretBox {
  private keys: Keys | undefined;

  /** @param encryptionKey returns the 32 bytes; what it throws is thrown by the first use */
  constructor(private readonly encryptionKey: () => Buffer) {}

  /** Asks for the key now, for a service that would rather not start than fail at its first request. */
  requireKey(): void {
    this.ready();
  }

  /** AES-256-GCM under a fresh nonce: the same text is sealed differently each time. */
  seal(text: string): Buffer {
    const { header, sealing } = this.ready();
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv('aes-256-gcm', sealing, nonce, { authTagLength: TAG_BYTES }).setAAD(header);
    const ciphertext = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return Buffer.concat([header, nonce, cipher.getAuthTag(), ciphertext]);
  }

  /** @throws SecretUnreadable */
  open(sealed: Buffer): string {
    const { header, sealing } = this.ready();
    if (sealed.length < CIPHERTEXT_AT || sealed[0] !== FORMAT) throw new SecretUnreadable('damaged');
    if (!sealed.subarray(0, HEADER_BYTES).equals(header)) throw new SecretUnreadable('another-key');
    const nonce = sealed.subarray(HEADER_BYTES, HEADER_BYTES + NONCE_BYTES);
    const decipher = createDecipheriv('aes-256-gcm', sealing, nonce, { authTagLength: TAG_BYTES })
      .setAAD(header)
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
    return createHmac('sha256', this.ready().lookup).update(text, 'utf8').digest();
  }

  private ready(): Keys {
    this.keys ??= deriveKeys(this.encryptionKey());
    return this.keys;
  }
}

/** One purpose, one key: what is derived for one says nothing about the others. */
function deriveKeys(encryptionKey: Buffer): Keys {
  const derive = (purpose: string, bytes: number): Buffer =>
    Buffer.from(hkdfSync('sha256', encryptionKey, '', `drawbridge ${purpose} v1`, bytes));
  return {
    header: Buffer.concat([Buffer.from([FORMAT]), derive('key id', KEY_ID_BYTES)]),
    sealing: derive('sealing', 32),
    lookup: derive('lookup', 32),
  };
}
