import MarkdownIt from 'markdown-it';

/** Markup in the text is shown as it is written, and nothing of other hosts is loaded: pictures are named. */
const MARKDOWN = new MarkdownIt({ html: false, linkify: false });
MARKDOWN.disable('image');
MARKDOWN.validateLink = () => false;

export function markdownNode(text: string): Node {
  const article = document.createElement('article');
  const parsed = new DOMParser().parseFromString(MARKDOWN.render(text), 'text/html');
  article.append(...parsed.body.childNodes);
  return article;
}
