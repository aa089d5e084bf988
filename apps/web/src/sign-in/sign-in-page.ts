import { markup, PageReply, type Html, type Language } from '#pages';
import type { PasskeyQuestion } from '#identity';
import { SIGN_IN_TEXTS, type SignInFault, type SignInTexts } from './sign-in-texts';

const STATUSES: Readonly<Record<SignInFault, number>> = {
  wrong: 403,
  wrongCode: 403,
  wrongPasskey: 403,
  over: 403,
  disabled: 403,
  throttled: 429,
  busy: 503,
  refusedByIssuer: 403,
};

/** Address and name of the issuer at which people sign in instead. */
export interface IssuerLink {
  readonly label: string;
  readonly address: string;
}

export interface SignInForm {
  /** Address to which the form is sent. */
  readonly action: string;
  readonly language: Language;
  readonly user?: string;
  readonly next?: string;
  readonly issuer?: IssuerLink;
  readonly fault?: SignInFault;
  readonly retryAfterSeconds?: number;
}

/** The form for user name and password; it works without scripts. */
export function signInPage({
  action,
  language,
  user,
  next,
  issuer,
  fault,
  retryAfterSeconds,
}: SignInForm): PageReply {
  const texts = SIGN_IN_TEXTS[language];
  const [atUser, atPassword] = user ? ['', markup` autofocus`] : [markup` autofocus`, ''];
  return new PageReply(
    fault ? STATUSES[fault] : 200,
    texts.title,
    markup`${alert(fault, language)}${linkTo(issuer, language)}
<form method="post" action="${action}">${hidden('next', next)}
<p><label>${texts.user}<br><input name="user" required${atUser} autocomplete="username" maxlength="64" value="${user ?? ''}"></label></p>
<p><label>${texts.password}<br><input type="password" name="password" required${atPassword} autocomplete="current-password" maxlength="1024"></label></p>
<p><button class="main">${texts.signIn}</button></p></form>`,
    { language, retryAfterSeconds },
  );
}

export interface FactorForm extends Omit<SignInForm, 'user' | 'issuer'> {
  /** The challenge for the browser, if the account has passkeys. */
  readonly passkey?: PasskeyQuestion | undefined;
  /** Sealed text that names the account whose password was right. */
  readonly pending: string;
}

/** The form for the second factor, after that for the password. */
export function factorPage({
  action,
  language,
  next,
  pending,
  passkey,
  fault,
  retryAfterSeconds,
}: FactorForm): PageReply {
  const texts = SIGN_IN_TEXTS[language];
  return new PageReply(
    fault ? STATUSES[fault] : 200,
    texts.factorTitle,
    markup`${alert(fault, language)}
<p>${texts.factorAbout}</p>
<form method="post" action="${action}">${hidden('next', next)}${hidden('pending', pending)}
<p><label>${texts.code}<br><input name="code" required autofocus autocomplete="one-time-code" autocapitalize="none" spellcheck="false" maxlength="32"></label></p>
<p><button class="main">${texts.goOn}</button></p></form>${passkeyForm({ action, next, pending, passkey }, texts)}`,
    { language, retryAfterSeconds, program: passkey && 'passkey' },
  );
}

/** The page's program shows its button if the browser supports passkeys. */
function passkeyForm(
  { action, next, pending, passkey }: Pick<FactorForm, 'action' | 'next' | 'pending' | 'passkey'>,
  { byPasskey, passkeyFailed }: SignInTexts,
): Html {
  if (!passkey) return markup``;
  const { options, setup } = passkey;
  return markup`<form method="post" action="${action}" id="passkey" data-options="${JSON.stringify(options)}" hidden>
${hidden('next', next)}${hidden('pending', pending)}${hidden('setup', setup)}${hidden('passkey', '')}
<p><button type="button" class="main">${byPasskey}</button></p><p role="alert" hidden>${passkeyFailed}</p></form>`;
}

/** Shown in place of the form if browsers would not store the session's cookie. */
export function tlsNeededPage(language: Language): PageReply {
  const { tlsTitle, tlsText } = SIGN_IN_TEXTS[language];
  return new PageReply(403, tlsTitle, markup`<p>${tlsText}</p>`, { language });
}

function linkTo(issuer: IssuerLink | undefined, language: Language): Html {
  return issuer
    ? markup`<p><a href="${issuer.address}">${SIGN_IN_TEXTS[language].signInBy} ${issuer.label}</a></p>`
    : markup``;
}

function alert(fault: SignInFault | undefined, language: Language): Html {
  return fault
    ? markup`<p role="alert"><strong>${SIGN_IN_TEXTS[language].faults[fault]}</strong></p>`
    : markup``;
}

function hidden(name: string, value: string | undefined): Html {
  return value === undefined ? markup`` : markup`<input type="hidden" name="${name}" value="${value}">`;
}
