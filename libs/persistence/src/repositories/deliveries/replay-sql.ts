import { MESSAGE_KINDS, MESSAGES } from '#federation/exchange';

/** Values of the parameter `lifetimes`: milliseconds by kind, as JSON text. */
export const LIFETIMES = JSON.stringify(
  Object.fromEntries(MESSAGE_KINDS.map((kind) => [kind, MESSAGES[kind].lifetimeMs])),
);

/** Changes of a finished message `m` that is sent again. Key, provider id and secret stay; the time for attempts starts again. */
export const SENT_AGAIN = `state = 'pending', attempts = 0, available_at = now(), finished_at = NULL,
       deadline_at = now() + (:lifetimes::jsonb ->> m.kind)::bigint * interval '1 millisecond'`;

/** Whether no later message of the subject of `m` was or will be sent: otherwise `m` is outdated. */
export const IS_LATEST = `NOT EXISTS (SELECT FROM outbox_message later WHERE later.subject_type = m.subject_type AND later.subject_id = m.subject_id
         AND later.id > m.id AND later.state NOT IN ('cancelled', 'superseded'))`;
