import { requestTokenOf } from '#identity';
import { type Html, markup } from '#pages';

/** The field of a form with which a session may change something; empty for a request that contains credentials itself. */
export function tokenField(session: { readonly secret: string } | undefined): Html {
  if (session === undefined) return markup``;
  return markup`<input type="hidden" name="requesttoken" value="${requestTokenOf(session.secret)}">`;
}
