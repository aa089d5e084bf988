import { MESSAGE_KINDS, MESSAGES, type MessageKind } from '#federation/exchange';

/** Values of the parameter `lifetimes`: milliseconds by kind, as JSON text. */
export const LIFETIMES = JSON.stringify(
  Object.fromEntries(MESSAGE_KINDS.map((kind) => [kind, MESSAGES[kind].lifetimeMs])),
);

/** Changes of a finished message `m` that is sent again. Key, provider id and secret stay; the time for attempts starts again. */
export const SENT_AGAIN = `state = 'pending', attempts = 0, available_at = now(), finished_at = NULL,
       deadline_at = now() + (:lifetimes::jsonb ->> m.kind)::bigint * interval '1 millisecond'`;

/** Kinds of messages that outdate only older ones of their kind: they say nothing about permissions, decisions or ends. */
const BARE_NEWS = ['share-content', 'received-seen'] satisfies MessageKind[];
const OUTDATES = `(later.kind = m.kind OR later.kind NOT IN (${BARE_NEWS.map((kind) => `'${kind}'`).join(', ')}))`;

/** Whether no later message that outdates `m` was or will be sent about its subject. */
export const IS_LATEST = `NOT EXISTS (SELECT FROM outbox_message later WHERE later.subject_type = m.subject_type AND later.subject_id = m.subject_id
         AND later.id > m.id AND ${OUTDATES} AND later.state NOT IN ('cancelled', 'superseded'))`;
