import { createApp } from 'vue';
import { createTexts } from '../i18n';
import { oneAtATime } from '../one-at-a-time';
import '../style.css';
import { showChosenSize } from './chosen-size';
import GuestUploads from './GuestUploads.vue';
import { showLocalTimes } from './local-times';
import { openViewers } from './viewers';

const texts = createTexts();

/** Reads the page again and shows its entries, because files were added. */
async function refresh(): Promise<void> {
  const reply = await fetch(location.href);
  const page = new DOMParser().parseFromString(await reply.text(), 'text/html');
  const [shown, latest] = [document.querySelector('#entries'), page.querySelector('#entries')];
  if (!reply.ok || !shown || !latest) return;
  shown.replaceWith(latest);
  improve();
}

function improve(): void {
  showLocalTimes();
  showChosenSize(texts.global.t, texts.global.locale.value);
}

const upload = document.querySelector<HTMLElement>('#upload');
if (upload) {
  const { endpoint = '', signature = '', drop } = upload.dataset;
  const place = document.createElement('div');
  upload.querySelector('form')?.replaceWith(place);
  const shown = { endpoint, signature, isDrop: drop === 'true', onUploaded: oneAtATime(refresh) };
  createApp(GuestUploads, shown).use(texts).mount(place);
}
improve();
openViewers(texts);
