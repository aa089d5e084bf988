import { SHARE_TYPES } from '#sharing';

/** Kind and name of a content's author: the user `:author`, or the other side of the share `:throughShare`. */
export const AUTHOR_KIND = `CASE WHEN :author::text IS NOT NULL THEN 'user' WHEN :throughShare::bigint IS NOT NULL
     THEN (SELECT CASE s.share_type WHEN ${SHARE_TYPES.link} THEN 'visitor' ELSE 'partner' END FROM share s WHERE s.id = :throughShare::bigint) END`;
export const AUTHOR = `coalesce(:author::text, (SELECT p.host_key FROM share s JOIN peer p ON p.id = s.peer_id WHERE s.id = :throughShare::bigint))`;
