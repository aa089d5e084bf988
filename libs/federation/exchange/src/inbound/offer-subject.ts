import type { ShareOffer } from '#federation/protocol';
import { phrase } from '#sharing';

/** Text for the recipient, in the words of deployed servers. */
export function offerSubject({ name, owner, sender }: ShareOffer): string {
  return sender.canonical === owner.canonical
    ? phrase('offer', { name, sender: sender.canonical })
    : phrase('offerOnBehalf', { name, sender: sender.canonical, owner: owner.canonical });
}
