export { PreviewCache } from './preview-cache';
export {
  PreviewRenderer,
  type ImageJob,
  type Preview,
  type PreviewJob,
  type RenderedPicture,
} from './preview-renderer';
