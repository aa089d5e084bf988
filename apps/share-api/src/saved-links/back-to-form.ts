import type { FastifyRequest } from 'fastify';
import { readCallFields } from './call-fields';
import { BackToLinkReply } from './saved-link-reply';

const FORMS = {
  link: { page: '/index.php/apps/files', fields: ['url'] },
  invitation: { page: '/index.php/apps/ocm/invitation', fields: ['token', 'providerDomain'] },
} as const;

/** The form of our own page that made a call. */
export type OwnForm = keyof typeof FORMS;

/** The form behind a call of a browser, by the path of the call; undefined for calls of scripts and of other clients. */
export function ownFormOf({ url, headers }: FastifyRequest): OwnForm | undefined {
  if (!headers.accept?.includes('text/html') || headers.authorization !== undefined) return undefined;
  if (/\/apps\/files_sharing\/external(?:\?|$)/.test(url)) return 'link';
  return /\/apps\/ocm\/invitation\/accept(?:\?|$)/.test(url) ? 'invitation' : undefined;
}

/**
 * Sends a browser back to the form that it has sent. Without a session, that page leads to the sign-in and back.
 * @param root path of PUBLIC_URL
 * @param outcome parameters that tell the result
 * @param isFilled whether the form shows again what was sent, apart from a password
 */
export function backToForm(
  root: string,
  form: OwnForm,
  request: FastifyRequest,
  { outcome = {}, isFilled }: { outcome?: Readonly<Record<string, string>>; isFilled: boolean },
): BackToLinkReply {
  const { page, fields } = FORMS[form];
  const sent = readCallFields(request.body);
  const query = new URLSearchParams(outcome);
  for (const name of fields) if (isFilled && sent[name]) query.set(name, sent[name]);
  return new BackToLinkReply(`${root}${page}${query.size > 0 ? `?${query.toString()}` : ''}`);
}
