import type { OnApplicationBootstrap } from '@nestjs/common';
import { SecretText, type SignatureScheme, type SigningAlgorithm } from '#federation/protocol';
import { FreshCache, type ChangeFeed, type SigningKeyRepository, type SigningKeyRow } from '#persistence';
import type { PublicAddress, SecretBox } from '#platform';
import { keysInUse, type KeysInUse } from '../key-rotation';
import type { SigningKeys } from '../ports';
import type { PublicSigningKey } from '../published-keys';
import { keyIdOf, openSigningKey, type SigningKey } from '../signing-key';
import { sealedKey } from './sealed-key';

/** Algorithm of our signatures for each scheme. */
const SIGNS: Readonly<Record<SignatureScheme, SigningAlgorithm>> = {
  cavage: 'rsa-sha512',
  rfc9421: 'ecdsa-p256-sha256',
};

interface KeyRing {
  readonly rows: readonly SigningKeyRow[];
  /** Private keys that were opened, by the names that partners see. */
  readonly opened: Map<string, SigningKey>;
}

const ONLY = 'all';

/**
 * The keys with which we sign and which partners see, in memory under the rule of freshness. The signing key is
 * chosen at each use, so that a rotation takes effect by the clock. Missing keys of an instance are created.
 */
export class OwnKeys implements SigningKeys, OnApplicationBootstrap {
  private readonly rings: FreshCache<KeyRing>;

  constructor(
    private readonly store: SigningKeyRepository,
    feed: ChangeFeed,
    private readonly secrets: SecretBox,
    private readonly address: PublicAddress,
    private readonly now: () => number = Date.now,
  ) {
    this.rings = new FreshCache(feed, { max: 1, topic: 'signing-key', keyOf: () => ONLY });
  }

  /** The first keys are made early, so that no request waits for them. */
  async onApplicationBootstrap(): Promise<void> {
    await this.ring();
  }

  async signing(scheme: SignatureScheme): Promise<SigningKey> {
    const { rows, opened } = await this.ring();
    const row = keysInUse(rows, this.today()).signing.get(SIGNS[scheme]);
    if (!row) throw new Error(`there is no key to sign with by ${SIGNS[scheme]}`);
    const keyId = keyIdOf(row.id, this.address.url);
    const key = opened.get(keyId) ?? this.open(row);
    opened.set(keyId, key);
    return key;
  }

  /** Keys that partners see. */
  async inUse(): Promise<KeysInUse<PublicSigningKey>> {
    return keysInUse((await this.ring()).rows, this.today());
  }

  private async ring(): Promise<KeyRing> {
    return (await this.rings.read(ONLY, async () => ({ rows: await this.load(), opened: new Map() })))!;
  }

  private async load(): Promise<readonly SigningKeyRow[]> {
    const rows = await this.store.list();
    const current = rows.filter(({ retiredAt }) => retiredAt === null);
    const missing = Object.values(SIGNS).filter(
      (name) => !current.some(({ algorithm }) => algorithm === name),
    );
    if (missing.length === 0) return rows;
    await Promise.all(missing.map((algorithm) => this.addFirst(algorithm)));
    return this.store.list();
  }

  /** If several processes start at the same time, the first one adds the key, and all sign with it. */
  private async addFirst(algorithm: SigningAlgorithm): Promise<void> {
    await this.store.addFirst(await sealedKey(algorithm, this.today(), this.secrets));
  }

  private open({ id, algorithm, sealedPrivateKey }: SigningKeyRow): SigningKey {
    const privateKey = new SecretText(this.secrets.open(sealedPrivateKey));
    return openSigningKey({ id, algorithm, privateKey }, this.address.url);
  }

  private today(): Date {
    return new Date(this.now());
  }
}
