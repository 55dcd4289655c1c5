; Definitions. The body of a function is a sibling of its signature.
(class_definition name: (_) @name) @definition.class
(mixin_declaration (identifier) @name (class_body) @body) @definition.trait
(extension_declaration name: (_) @name) @definition.impl
(extension_type_declaration name: (_) @name) @definition.class
(enum_declaration name: (_) @name) @definition.enum
(enum_constant name: (_) @name) @definition.enum_member
(type_alias . (type_identifier) @name) @definition.type
((method_signature (function_signature name: (_) @name)) @definition.function . (function_body) @body)
((method_signature (getter_signature name: (_) @name)) @definition.property . (function_body) @body)
((method_signature (setter_signature name: (_) @name)) @definition.property . (function_body) @body)
((method_signature (operator_signature (binary_operator) @name)) @definition.method . (function_body) @body)
((method_signature (constructor_signature name: (identifier) @name . parameters: (_))) @definition.method . (function_body) @body)
((method_signature (factory_constructor_signature (identifier) @name . (formal_parameter_list))) @definition.method . (function_body) @body)
(program (function_signature name: (_) @name) @definition.function . (function_body) @body)
(program (getter_signature name: (_) @name) @definition.property . (function_body) @body)
(program (setter_signature name: (_) @name) @definition.property . (function_body) @body)
(declaration (function_signature name: (_) @name)) @definition.function
(declaration (getter_signature name: (_) @name)) @definition.property
(declaration (setter_signature name: (_) @name)) @definition.property
(declaration (operator_signature (binary_operator) @name)) @definition.method
(declaration (constructor_signature name: (identifier) @name . parameters: (_))) @definition.method
(declaration (factory_constructor_signature (identifier) @name . (formal_parameter_list))) @definition.method
(declaration (constant_constructor_signature (identifier) @name . (formal_parameter_list))) @definition.method
(declaration (redirecting_factory_constructor_signature (identifier) @name . (formal_parameter_list))) @definition.method
(function_signature name: (_) @name) @definition.function
(program (const_builtin) . (static_final_declaration_list (static_final_declaration (identifier) @name) @definition.constant))
(program (const_builtin) . (type_identifier) . (static_final_declaration_list (static_final_declaration (identifier) @name) @definition.constant))
(program (static_final_declaration_list (static_final_declaration . (identifier) @name) @definition.variable))
(program (initialized_identifier_list (initialized_identifier . (identifier) @name) @definition.variable))
(class_body (declaration (const_builtin) (static_final_declaration_list (static_final_declaration . (identifier) @name))) @definition.constant)
(declaration (static_final_declaration_list (static_final_declaration . (identifier) @name))) @definition.property
(declaration (initialized_identifier_list (initialized_identifier . (identifier) @name))) @definition.property

; Local names. Parameters are siblings of their body, outside of its scope; those of closures are inside a scope.
(function_expression (formal_parameter_list (formal_parameter name: (identifier) @local)))
(initialized_variable_definition name: (identifier) @local)
(initialized_variable_definition (initialized_identifier . (identifier) @local))
(for_loop_parts name: (identifier) @local)
[(function_expression) (function_body) (block) (for_statement)] @scope

; Imports
(library_import (import_specification (configurable_uri (uri (string_literal) @import.string)) . (identifier) @import.namespace))
(library_import (import_specification (configurable_uri (uri (string_literal) @import.string @import.all)) .))
(library_import (import_specification (configurable_uri (uri (string_literal) @import.string @import.all)) . (combinator)))
(library_export (configurable_uri (uri (string_literal) @import.string @export.all)))

; References. A call is a name followed by its arguments.
((identifier) @name . (selector (argument_part))) @reference.call
((_) @receiver . (selector (unconditional_assignable_selector (identifier) @name)) . (selector (argument_part))) @reference.call
(superclass . (type_identifier) @name) @reference.extends
(mixins (type_identifier) @name) @reference.implements
(interfaces (type_identifier) @name) @reference.implements
(type_identifier) @name @reference.usage
