import { RedirectReply } from '#pages';
import type { FastifyRequest } from 'fastify';

/** Whether a browser asks for a page, without remembered credentials. */
export const isFromBrowser = ({ method, headers }: FastifyRequest): boolean =>
  method === 'GET' && /\btext\/html\b/.test(headers.accept ?? '') && headers.authorization === undefined;

/**
 * Leads to the sign-in, which also asks for a missing second factor. After it the browser returns to the page.
 * @param root path of PUBLIC_URL
 */
export const toSignIn = (root: string, { url }: FastifyRequest): RedirectReply =>
  new RedirectReply(`${root}/login?next=${encodeURIComponent(root + url)}`);
