export { startInstance, type WholeInstance } from './instance';
