import type { SigningAlgorithm } from '#federation/protocol';
import type { SigningKeyRepository } from '#persistence';
import type { SecretBox } from '#platform';
import { planRotation, type RotationPlan } from '../key-rotation';
import { sealedKey } from './sealed-key';

export interface RotationParts {
  readonly store: SigningKeyRepository;
  readonly secrets: SecretBox;
}

/** A new key, with the times of the change. */
export interface NewKey extends RotationPlan {
  readonly id: string;
}

/**
 * Makes the successor of the keys of its algorithm and announces it to every process.
 * @param why after a leak the other keys end at once
 * @returns undefined if another process made one in the meantime: that one is used, and nothing else changes
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
