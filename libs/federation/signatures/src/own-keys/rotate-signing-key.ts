import type { SigningAlgorithm } from '#federation/protocol';
import type { SigningKeyRepository } from '#persistence';
import type { SecretBox } from '#platform';
import { planRotation, type RotationPlan } from '../key-rotation';
import { sealedKey } from './sealed-key';

export interface RotationParts {
  readonly store: SigningKeyRepository;
  readonly secrets: SecretBox;
}

/** A key that takes over, with the times at which it does. */
export interface NewKey extends RotationPlan {
  readonly id: string;
}

/**
 * Makes the key that follows on those of its algorithm; every process hears of it.
 * @param why after a leak the others end at once
 * @returns undefined where somebody else made one meanwhile: that one counts, and nothing else was changed
 */
export async function rotateSigningKey(
  { store, secrets }: RotationParts,
  algorithm: SigningAlgorithm,
  why: 'planned' | 'leaked',
): Promise<NewKey | undefined> {
  const keys = await store.list();
  const current = keys.find((key) => key.algorithm === algorithm && key.retiredAt === null);
  const plan = planRotation(algorithm, why, new Date());
  const key = await sealedKey(algorithm, plan.notBefore, secrets);
  const isStored = current
    ? await store.replace(key, current.id, plan.predecessorsRetireAt)
    : await store.addFirst(key);
  return isStored ? { id: key.id, ...plan } : undefined;
}
