; Definitions
(package_declaration (_) @name .) @definition.namespace
(class_declaration name: (_) @name) @definition.class
(record_declaration name: (_) @name) @definition.class
(interface_declaration name: (_) @name) @definition.interface
(annotation_type_declaration name: (_) @name) @definition.interface
(enum_declaration name: (_) @name) @definition.enum
(enum_constant name: (_) @name) @definition.enum_member
(method_declaration name: (_) @name) @definition.method
(constructor_declaration name: (_) @name) @definition.method
(annotation_type_element_declaration name: (_) @name) @definition.method
(field_declaration (modifiers "static" "final") declarator: (variable_declarator name: (_) @name)) @definition.constant
(field_declaration declarator: (variable_declarator name: (_) @name)) @definition.property
(constant_declaration declarator: (variable_declarator name: (_) @name)) @definition.constant

; Local names
(formal_parameter name: (identifier) @local)
(local_variable_declaration declarator: (variable_declarator name: (identifier) @local))
(formal_parameter type: (_) @local.type name: (identifier) @local)
(local_variable_declaration type: (type_identifier) @local.type declarator: (variable_declarator name: (identifier) @local))
(local_variable_declaration type: (generic_type) @local.type declarator: (variable_declarator name: (identifier) @local))
(enhanced_for_statement name: (identifier) @local)
(catch_formal_parameter name: (identifier) @local)
(lambda_expression parameters: (identifier) @local)
(inferred_parameters (identifier) @local)
(type_parameter (type_identifier) @local)
[(class_declaration) (interface_declaration) (method_declaration) (constructor_declaration) (lambda_expression) (block) (for_statement) (enhanced_for_statement) (catch_clause)] @scope

; Imports
(import_declaration (scoped_identifier name: (identifier) @import.name) @import.source)

; References
(method_invocation !object name: (identifier) @name) @reference.call
(method_invocation object: (_) @receiver name: (identifier) @name) @reference.call
(object_creation_expression type: [(type_identifier) @name (generic_type (type_identifier) @name)]) @reference.call
(superclass [(type_identifier) @name (generic_type (type_identifier) @name)]) @reference.extends
(super_interfaces (type_list [(type_identifier) @name (generic_type (type_identifier) @name)])) @reference.implements
(extends_interfaces (type_list [(type_identifier) @name (generic_type (type_identifier) @name)])) @reference.extends
(type_identifier) @name @reference.usage
(method_reference (identifier) @name @reference.usage)
(argument_list (identifier) @name @reference.usage)
