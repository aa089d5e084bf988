import type { Dialects } from '../dialects/dialect';
import type { Dialect } from '../dialects/dialect-name';
import { DIALECTS, rulesOf } from '../dialects/dialects';
import type { PeerProfile } from '../peers/peer-profile';
import { EVENTS } from './partner-events';
import type { PartnerMessageKind, PartnerMessage } from './partner-message';

/**
 * The dialects to try for a message, in order. The next one is tried only after a definite refusal. A dialect that has worked is
 * the only one. Dialects that refuse the message are left out if there is another. Source: federation-facts 12.
 */
export function dialectLadder(
  profile: PeerProfile,
  kind: PartnerMessageKind,
  dialects: Dialects = DIALECTS,
): readonly Dialect[] {
  const { provenDialect, product } = profile;
  const taking = profile.dialects.filter((dialect) => !rulesOf(dialects, dialect).refuses(kind, product));
  const usable = taking.length > 0 ? taking : profile.dialects;
  const isProven = provenDialect !== null && usable.includes(provenDialect);
  // A server that accepts offers need not know the messages between owner and initiator of a reshare.
  const isEnough =
    provenDialect !== null && (rulesOf(dialects, provenDialect).knowsReshares || !isOfReshare(kind));
  const ladder = isProven && isEnough ? [provenDialect] : usable;
  return kind === 'offer' ? ladder : oneOfEachForm(ladder, dialects);
}

/** The same for a certain message: only some dialects can express requirements, whatever worked before, or name groups. */
export function dialectsFor(
  profile: PeerProfile,
  message: PartnerMessage,
  dialects: Dialects = DIALECTS,
): readonly Dialect[] {
  if (message.kind !== 'offer' || !(message.mustExchange || message.mustUseMfa)) {
    const ladder = dialectLadder(profile, message.kind, dialects);
    const isForGroup = message.kind === 'offer' && message.isForGroup === true;
    return isForGroup ? ladder.filter((name) => rulesOf(dialects, name).namesGroups) : ladder;
  }
  return (Object.keys(dialects) as Dialect[]).filter((name) => rulesOf(dialects, name).statesRequirements);
}

/**
 * Whether a dialect in which this message was accepted is the partner's dialect from then on. Nextcloud answers any
 * acceptance in the legacy dialect with success, also one that it could not use.
 */
export const provesDialect = (kind: PartnerMessageKind): boolean => kind === 'offer';

const isOfReshare = (kind: PartnerMessageKind): boolean =>
  kind !== 'offer' && kind !== 'share-request' && EVENTS[kind].isOfReshare;

/** In some dialects notices have the same form and address: the first of these dialects is enough. */
function oneOfEachForm(ladder: readonly Dialect[], dialects: Dialects): readonly Dialect[] {
  const forms = ladder.map((dialect) => rulesOf(dialects, dialect).noticeForm);
  return ladder.filter((_dialect, index) => forms.indexOf(forms[index]!) === index);
}
