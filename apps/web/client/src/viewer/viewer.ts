import type { ShownContent } from '../api/viewers';
import './viewer.css';

type Show = (content: Blob | string, name: string) => Promise<Node> | Node;

const addressOf = (content: Blob | string): string =>
  typeof content === 'string' ? content : URL.createObjectURL(content);
const textIn = (content: Blob | string): Promise<string> =>
  typeof content === 'string' ? Promise.resolve('') : content.slice(0, MAX_TEXT_BYTES).text();

/** Of larger texts, only the beginning is shown. */
const MAX_TEXT_BYTES = 2_000_000;

const VIEWERS: Readonly<Record<ShownContent['kind'], Show>> = {
  image: (content, name) => Object.assign(new Image(), { src: addressOf(content), alt: name }),
  video: (content) => playerOf('video', content),
  audio: (content) => playerOf('audio', content),
  pdf: async (content) => (await import('./pdf')).showPdf(content as Blob),
  markdown: async (content) => (await import('./markdown')).markdownNode(await textIn(content)),
  text: async (content) =>
    Object.assign(document.createElement('pre'), { textContent: await textIn(content), tabIndex: 0 }),
};

function playerOf(tag: 'audio' | 'video', content: Blob | string): HTMLElement {
  return Object.assign(document.createElement(tag), { controls: true, src: addressOf(content) });
}

// The policy of the frame ensures that only pages of this instance can open it.
addEventListener('message', ({ source, data }: MessageEvent<ShownContent>) => {
  if (source !== parent) return;
  void show(data).then(
    () => parent.postMessage('shown', '*'),
    () => parent.postMessage('failed', '*'),
  );
});

async function show({ kind, name, language, content }: ShownContent): Promise<void> {
  document.documentElement.lang = language;
  document.title = name;
  const main = document.createElement('main');
  main.append(await VIEWERS[kind](content, name));
  document.body.replaceChildren(main);
}

parent.postMessage('ready', '*');
