import type { ShareOffer } from '#federation/protocol';

/** Text for the recipient, in the words of deployed servers. */
export function offerSubject({ name, owner, sender }: ShareOffer): string {
  const behalf = sender.canonical === owner.canonical ? '' : ` (on behalf of ${owner.canonical})`;
  return `You received "/${name}" as a remote share from ${sender.canonical}${behalf}`;
}
