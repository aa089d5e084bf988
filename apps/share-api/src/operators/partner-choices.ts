import { DIALECT_NAMES, SIGNATURE_CHOICES, type Dialect } from '#federation/protocol';
import { OcsFailure } from '#ocs/http';
import type { DeliveryLimits } from '#persistence';
import type { SignatureChoices } from './operated-partners';

type Given = Readonly<Record<string, string | undefined>>;

/** Dialects in the order of attempts, each once. @throws OcsFailure */
export function dialectsIn(given = ''): readonly Dialect[] {
  const words = given.slice(0, 512).split(',');
  const dialects = words.flatMap((word) => DIALECT_NAMES.filter((dialect) => dialect === word.trim()));
  if (dialects.length !== words.length || new Set(dialects).size !== dialects.length)
    throw new OcsFailure(400, `dialects are of ${DIALECT_NAMES.join(', ')}, each at most once`);
  return dialects;
}

/** @throws OcsFailure */
export function signatureChoicesIn({ sign, unreadable }: Given): SignatureChoices {
  const choice = SIGNATURE_CHOICES.find((known) => known === sign);
  if (sign && sign !== 'default' && !choice)
    throw new OcsFailure(400, `sign is one of ${SIGNATURE_CHOICES.join(', ')}, default`);
  if (unreadable && !['refuse', 'ignore'].includes(unreadable))
    throw new OcsFailure(400, 'unreadable is one of refuse, ignore');
  if (!sign && !unreadable) throw new OcsFailure(400, 'Please give sign, unreadable, or both');
  return {
    signBy: sign ? (choice ?? null) : undefined,
    ignoresUnreadable: unreadable ? unreadable === 'ignore' : undefined,
  };
}

const MOST = { concurrency: 1000, ratePerSecond: 1000, rateBurst: 10_000 };

/** @throws OcsFailure */
export function limitsIn(given: Given): DeliveryLimits {
  const whole = (name: 'concurrency' | 'rateBurst'): number => {
    const value = /^\d{1,5}$/.test(given[name] ?? '') ? Number(given[name]) : 0;
    if (value < 1 || value > MOST[name])
      throw new OcsFailure(400, `${name} is a number from 1 to ${MOST[name]}`);
    return value;
  };
  const rate = given.ratePerSecond ?? '';
  const ratePerSecond = /^\d{1,4}(?:\.\d{1,3})?$/.test(rate) ? Number(rate) : 0;
  if (ratePerSecond <= 0 || ratePerSecond > MOST.ratePerSecond)
    throw new OcsFailure(400, `ratePerSecond is a number above 0 and at most ${MOST.ratePerSecond}`);
  return { concurrency: whole('concurrency'), ratePerSecond, rateBurst: whole('rateBurst') };
}
