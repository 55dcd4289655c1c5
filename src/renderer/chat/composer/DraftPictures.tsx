import { isSameModel } from '../../../shared/models/modelName.ts'
import { useCurrentModel } from '../../platform/conversation/currentModel.ts'
import { useEndpoints } from '../../platform/models/endpointsStore.ts'
import { Icon, IconButton } from '../../ui/index.ts'
import { Picture } from '../items/Picture.tsx'
import { removePicture, useDraftAttachments } from './draftAttachments.ts'

/** Thumbnails of the pictures in a draft, with a warning if the model does not support images. */
export function DraftPictures({ conversationId }: { conversationId: string }) {
  const pictures = useDraftAttachments((state) => state.byConversation[conversationId]?.pictures)
  const textOnlyModel = useTextOnlyModel()
  if (!pictures || pictures.length === 0) return null
  return (
    <div className="composer-pictures">
      {pictures.map((picture) => (
        <div key={picture.id} className="composer-picture">
          <Picture picture={picture} />
          <IconButton
            icon="close"
            label={`Remove ${picture.label}`}
            onClick={() => removePicture(conversationId, picture.id)}
          />
        </div>
      ))}
      {textOnlyModel !== undefined && (
        <p className="composer-warning" role="status">
          <Icon name="warning" />
          {textOnlyModel} does not support images. Choose another model or remove them.
        </p>
      )}
    </div>
  )
}

/** Id of the selected model if it is known not to support images, otherwise undefined. */
function useTextOnlyModel(): string | undefined {
  const choice = useCurrentModel()
  const model = useEndpoints((state) =>
    state.endpoints
      .find(({ endpoint }) => endpoint.id === choice?.endpointId)
      ?.models.find(({ id }) => choice && isSameModel(id, choice.model)),
  )
  return model?.vision === false ? model.id : undefined
}
