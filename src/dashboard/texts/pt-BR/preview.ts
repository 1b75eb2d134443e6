import { formatNumber } from '../../language.ts'
import type { previewTexts as English } from '../preview.ts'

const UNPLAYED = {
  title: 'Seu navegador não consegue reproduzir este arquivo',
  text: 'Baixe-o para reproduzi-lo com outro programa.',
}

export const previewTexts: typeof English = {
  place: (number, count) => `${formatNumber(number)} de ${formatNumber(count)}`,
  previous: 'Arquivo anterior',
  next: 'Próximo arquivo',
  notFound: 'Arquivo não encontrado',
  notFoundText: 'Ele pode ter sido movido ou excluído, ou você não tem acesso.',
  unshown: {
    picture: {
      title: 'Esta imagem não pode ser mostrada',
      text: 'Ela pode estar danificada ou em um formato que seu navegador não conhece. Você pode baixá-la.',
    },
    video: UNPLAYED,
    audio: UNPLAYED,
    pdf: {
      title: 'Este PDF não pode ser mostrado',
      text: 'Ele pode estar danificado ou protegido por senha. Baixe-o para tentar outro programa.',
    },
    unknown: {
      title: 'Sem visualização para este tipo',
      text: 'Baixe o arquivo para abri-lo no seu dispositivo.',
    },
  },
  large: 'Este arquivo é grande demais para mostrar',
  largeText: (limit) =>
    `O nome não indica o tipo, e só arquivos de até ${limit} são mostrados pelo conteúdo. Você pode baixá-lo.`,
  zoomIn: 'Aumentar zoom',
  zoomOut: 'Diminuir zoom',
  zoomed: (percent) => `${percent}%`,
  fit: (percent) => `Zoom ${percent}%: ajustar à janela`,
  empty: 'Este arquivo está vazio',
  part: 'Parte do texto',
  parts: { start: 'Início', end: 'Fim' },
  look: 'Exibição',
  looks: {
    markdown: { rendered: 'Formatado', source: 'Código' },
    table: { rendered: 'Tabela', source: 'Código' },
  },
  wrap: 'Quebrar linhas',
  more: 'Mostrar mais',
  earlier: 'Mostrar linhas anteriores',
  amount: (shown, size) => `Mostrando ${shown} de ${size}`,
  task: (isDone) => (isDone ? 'Feito' : 'A fazer'),
  remotePicture: 'Imagem externa',
  uploader: {
    title: 'Enviado por',
    you: (name) => `${name} (você)`,
    gone: 'Uma conta excluída',
    none: 'Encontrado no disco',
  },
  photo: {
    title: 'Imagem',
    taken: 'Tirada em',
    camera: 'Câmera',
    lens: 'Lente',
    exposure: 'Exposição',
    dimensions: 'Dimensões',
    place: 'Local',
  },
}
