import {
  browserSupportsWebAuthn,
  startAuthentication,
  type PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/browser';

/** Lets a person use a passkey in the second step of the sign-in. */
const form = document.querySelector<HTMLFormElement>('form#passkey');

async function answer(passkeyForm: HTMLFormElement): Promise<void> {
  const alert = passkeyForm.querySelector<HTMLElement>('[role=alert]')!;
  alert.hidden = true;
  try {
    const optionsJSON = JSON.parse(passkeyForm.dataset.options!) as PublicKeyCredentialRequestOptionsJSON;
    const given = await startAuthentication({ optionsJSON });
    passkeyForm.querySelector<HTMLInputElement>('[name=passkey]')!.value = JSON.stringify(given);
    passkeyForm.submit();
  } catch {
    alert.hidden = false;
  }
}

if (form && browserSupportsWebAuthn()) {
  form.hidden = false;
  form.querySelector('button')!.addEventListener('click', () => void answer(form));
}
