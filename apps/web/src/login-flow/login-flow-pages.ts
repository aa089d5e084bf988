import { markup, PageReply, type Language } from '#pages';
import type { WaitingLoginFlow } from '#persistence';
import { loginFlowTexts } from './login-flow-texts';

interface GrantForm {
  readonly action: string;
  readonly uid: string;
  readonly requestToken: string;
}

/** Asks a signed-in person whether a client may have an app password. */
export function grantPage(
  { client, address, createdAt }: WaitingLoginFlow,
  { action, uid, requestToken }: GrantForm,
  language: Language,
): PageReply {
  const texts = loginFlowTexts(language);
  const time = createdAt.toISOString().slice(11, 16);
  return new PageReply(
    200,
    texts.connect,
    markup`<p>${texts.asks(client, uid)}
${texts.asked(time, address)}</p>
<p>${texts.warning}</p>
<form method="post" action="${action}"><input type="hidden" name="requesttoken" value="${requestToken}">
<p><label><input type="checkbox" name="readOnly" value="yes"> ${texts.readOnly}</label></p>
<p><button>${texts.grant}</button></p></form>`,
    { language },
  );
}

export function grantedPage(language: Language): PageReply {
  const { connected, connectedAbout } = loginFlowTexts(language);
  return new PageReply(200, connected, markup`<p>${connectedAbout}</p>`, { language });
}

/** The same page for an unknown address, an expired one, and one that was already answered. */
export function overPage(language: Language): PageReply {
  const { over, overAbout } = loginFlowTexts(language);
  return new PageReply(403, over, markup`<p>${overAbout}</p>`, { language });
}
