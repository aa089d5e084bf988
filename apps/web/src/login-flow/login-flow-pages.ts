import { markup, PageReply } from '#pages';
import type { WaitingLoginFlow } from '#persistence';

/** Asks a signed-in person whether a client may have an app password. */
export function grantPage(
  { client, address, createdAt }: WaitingLoginFlow,
  { action, uid, requestToken }: { action: string; uid: string; requestToken: string },
): PageReply {
  return new PageReply(
    200,
    'Connect an app',
    markup`<p>An app that calls itself <strong>${client}</strong> asks for access to the files and shares of <strong>${uid}</strong>.
It asked at ${createdAt.toISOString().slice(11, 16)} UTC, from the address ${address}.</p>
<p>Go on only if you have just started this in an app of your own. If somebody sent you this address, close this page.</p>
<form method="post" action="${action}"><input type="hidden" name="requesttoken" value="${requestToken}">
<p><label><input type="checkbox" name="readOnly" value="yes"> Reading only</label></p>
<p><button>Grant access</button></p></form>`,
  );
}

export const grantedPage = (): PageReply =>
  new PageReply(
    200,
    'The app is connected',
    markup`<p>You can close this page and go back to the app. Your settings list the app, and you can revoke its access there.</p>`,
  );

/** The same page for an unknown address, an expired one, and one that was already answered. */
export const overPage = (): PageReply =>
  new PageReply(
    403,
    'This address is over',
    markup`<p>It can be used once, and for twenty minutes. Start again in the app.</p>`,
  );
