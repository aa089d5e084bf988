import { getDocument, type PDFPageProxy } from 'pdfjs-dist';
import { WorkerMessageHandler } from 'pdfjs-dist/build/pdf.worker.mjs';

/** A frame without an origin cannot start a worker, so the program runs in the frame itself. */
Object.assign(globalThis, { pdfjsWorker: { WorkerMessageHandler } });

const NEAR = '800px';

/** Shows the pages of a document; each is drawn when it comes near the screen. */
export async function showPdf(content: Blob): Promise<Node> {
  const data = new Uint8Array(await content.arrayBuffer());
  const pages = await getDocument({ data, useWasm: false, enableXfa: false }).promise;
  const place = document.createElement('div');
  const first = await pages.getPage(1);
  const near = new IntersectionObserver(
    (entries) => {
      for (const { isIntersecting, target } of entries) {
        if (!isIntersecting) continue;
        near.unobserve(target);
        const canvas = target as HTMLCanvasElement;
        void pages.getPage(Number(canvas.dataset.page)).then((page) => draw(page, canvas));
      }
    },
    { rootMargin: NEAR },
  );
  for (let number = 1; number <= pages.numPages; number += 1) {
    const canvas = document.createElement('canvas');
    canvas.dataset.page = String(number);
    canvas.setAttribute('role', 'img');
    canvas.setAttribute('aria-label', `${number} / ${pages.numPages}`);
    size(first, canvas);
    place.append(canvas);
    near.observe(canvas);
  }
  return place;
}

const scaleOf = (page: PDFPageProxy): number =>
  (Math.min(document.documentElement.clientWidth - 16, 1000) / page.getViewport({ scale: 1 }).width) *
  devicePixelRatio;

function size(page: PDFPageProxy, canvas: HTMLCanvasElement): void {
  const { width, height } = page.getViewport({ scale: scaleOf(page) });
  [canvas.width, canvas.height] = [Math.floor(width), Math.floor(height)];
}

async function draw(page: PDFPageProxy, canvas: HTMLCanvasElement): Promise<void> {
  size(page, canvas);
  const viewport = page.getViewport({ scale: scaleOf(page) });
  await page.render({ canvas, viewport }).promise;
  const { items } = await page.getTextContent();
  // Text for screen readers, in place of the picture.
  canvas.setAttribute(
    'aria-label',
    items
      .map((item) => ('str' in item ? item.str : ''))
      .join(' ')
      .trim(),
  );
}
